"""Pairs of games of two strategies: played here against one secret, or taken from their matches on a server."""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from evilpegs_clients.bot.summary import MatchSummary
from evilpegs_clients.strategies.seeding import draw_secret, game_seed
from evilpegs_clients.strategies.strategy import Strategy, seeded_choice
from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.codes import Code
from evilpegs_game.evaluation.exact import play_turns
from evilpegs_game.feedback import Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import ValueCurve, adjusted_score, load_value_curve, raw_score
from evilpegs_game.rules import Rules
from evilpegs_protocol.server_messages import LadderInfo


class PairScores(NamedTuple):
    first: float
    second: float


class PairedGames:
    """Pairs of games that follow from ``seed``; with a ``curve``, their scores are luck-adjusted."""

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
        """Play a pair; the same number gives the same games."""
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
    """Return the score of a game, luck-adjusted if there is a ``curve``.

    Raises GameError if no code agrees with the turns, or if the rules have too many codes to count the parts of a
    guess; neither matters without a ``curve``.
    """
    if curve is None:
        return raw_score(rules, turns, guess_limit)
    return adjusted_score(rules, turns, curve, live_sets)


class ServerPairs:
    """The scores of two strategies on one ladder, paired in the order of play, computed as for the leaderboard.

    The two games of a pair have different secrets.

    ``curve`` is None, and nothing is adjusted, if the ladder's rules and guess limit have no built-in value curve. A
    game that was lost on time, or resigned because the strategy failed, scores the guess limit + 1 before adjustment.
    """

    def __init__(self, ladder: LadderInfo) -> None:
        self._ladder = ladder
        self._rules = Rules.parse(ladder.rules)
        self.curve = load_value_curve(self._rules, ladder.guess_limit)
        self._live_sets = LiveSets()
        self._waiting: tuple[deque[float], deque[float]] = (deque(), deque())

    def add(self, side: int, match: MatchSummary) -> None:
        """Add the games of strategy 0 or 1; ignore a match on another ladder. Raises GameError as `score_game` does."""
        if match.ladder != self._ladder.id:
            return
        limit = self._ladder.guess_limit
        scores = (score_game(self._rules, game.history, limit, self.curve, self._live_sets) for game in match.games)
        self._waiting[side].extend(scores)

    def take(self) -> Iterator[PairScores]:
        """Yield and remove each complete pair, oldest first."""
        first, second = self._waiting
        while first and second:
            yield PairScores(first.popleft(), second.popleft())
