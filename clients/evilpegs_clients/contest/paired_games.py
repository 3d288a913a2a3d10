"""Pairs of games: two strategies play against the same secret, each with random choices of its own."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from evilpegs_clients.strategies.seeding import draw_secret, game_seed
from evilpegs_clients.strategies.strategy import Strategy, seeded_choice
from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.codes import Code
from evilpegs_game.evaluation.exact import play_turns
from evilpegs_game.history import Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import adjusted_score, raw_score
from evilpegs_game.luck.value_curve import ValueCurve
from evilpegs_game.rules import Rules


class PairScores(NamedTuple):
    """The scores of two strategies in one pair of games, in guesses; they may be adjusted for luck."""

    first: float
    second: float


class PairedGames:
    """The pairs of games of two strategies; the secrets and all random choices follow from ``seed``.

    The score of a game is its number of guesses, or ``guess_limit`` + 1 if the game is not solved. If ``curve`` is not
    None, its luck is subtracted: the guesses by which the feedbacks were worse than average for a good strategy. The
    value curve ``curve`` gives the guesses that a good strategy still expects. Each strategy has a cache of its own for
    the codes possible at each turn.
    """

    def __init__(
        self, strategies: tuple[Strategy, Strategy], rules: Rules, guess_limit: int, curve: ValueCurve | None, seed: int
    ) -> None:
        self._strategies = strategies
        self._rules = rules
        self._guess_limit = guess_limit
        self._curve = curve
        self._seed = seed
        self._live_sets = LiveSets(), LiveSets()

    def play(self, number: int) -> PairScores:
        """Play pair number ``number`` and return its scores; the same number gives the same games.

        The secret of the pair is drawn uniformly from all codes.

        Raises:
            StrategyError: a strategy failed or chose an illegal code.
            GameError: the rules are too large for a strategy.
        """
        secret = draw_secret(game_seed(self._seed, number), self._rules)
        return PairScores(self._score(0, number, secret), self._score(1, number, secret))

    def _score(self, side: int, number: int, secret: Code) -> float:
        live_sets = self._live_sets[side]
        choose = seeded_choice(self._strategies[side], game_seed(self._seed, number, side))
        played = play_turns(choose, Fixed(secret), Position(self._rules, (), live_sets))
        turns = [Turn(turn.guess, turn.feedback) for turn in islice(played, self._guess_limit)]
        return score_game(self._rules, turns, self._guess_limit, self._curve, live_sets)


def score_game(
    rules: Rules, turns: Sequence[Turn], guess_limit: int, curve: ValueCurve | None, live_sets: LiveSets
) -> float:
    """Return the score of a game in guesses, less its luck unless ``curve`` is None.

    The score without luck is the number of guesses, or ``guess_limit`` + 1 if the game is not solved. ``turns`` are the
    answered turns of the game. Luck is the number of guesses by which the feedbacks were worse than average; ``curve``
    gives the guesses that a good strategy still expects. ``live_sets`` caches the codes that are possible at each turn.

    Raises:
        GameError: ``curve`` is not None, and either no code agrees with the turns, or the rules have too many codes to
            count the parts of a guess.
    """
    if curve is None:
        return raw_score(rules, turns, guess_limit)
    return adjusted_score(rules, turns, curve, live_sets)
