"""Pairs of games of two strategies: played here against one secret, or taken from their matches on a server."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, Final, NamedTuple

from evilpegs_clients.bot.summary import MatchSummary
from evilpegs_clients.evaluation.cost import SMALL_SIZE
from evilpegs_clients.evaluation.run import play_all_secrets
from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.strategy import Strategy, draw_secret, game_seed, seeded_choice
from evilpegs_game.codemakers.codemaker import Fixed
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
    """Games on the same secrets that follow from ``seed``; with a ``curve``, their scores are luck-adjusted."""

    def __init__(
        self, strategies: Sequence[Strategy], rules: Rules, guess_limit: int, curve: ValueCurve | None, seed: int
    ) -> None:
        self._strategies = strategies
        self._rules = rules
        self._guess_limit = guess_limit
        self._curve = curve
        self._seed = seed
        self._live_sets = [LiveSets() for _ in strategies]

    def play(self, number: int) -> PairScores:
        return PairScores(*self.play_each(number, (0, 1)))

    def play_each(self, number: int, sides: Iterable[int]) -> list[float]:
        """Return the score of each strategy of ``sides``, by its index, on the secret of this number."""
        secret = draw_secret(game_seed(self._seed, number), self._rules)
        scores = []
        for side in sides:
            live_sets = self._live_sets[side]
            choose = seeded_choice(self._strategies[side], game_seed(self._seed, number, side))
            played = play_turns(choose, Fixed(secret), Position(self._rules, (), live_sets))
            turns = [Turn(turn.guess, turn.feedback) for turn in islice(played, self._guess_limit)]
            scores.append(score_game(self._rules, turns, self._guess_limit, self._curve, live_sets))
        return scores


def score_game(
    rules: Rules, turns: Sequence[Turn], guess_limit: int, curve: ValueCurve | None, live_sets: LiveSets
) -> float:
    """Return the score of a game, luck-adjusted with a ``curve``, which may raise GameError."""
    if curve is None:
        return raw_score(rules, turns, guess_limit)
    return adjusted_score(rules, turns, curve, live_sets)


class ServerPairs:
    """The scores of two strategies on a ladder, as for its leaderboard, paired in order; their secrets differ."""

    def __init__(self, ladder: LadderInfo) -> None:
        self._ladder = ladder
        self._rules = Rules.parse(ladder.rules)
        # without one, nothing is adjusted
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
        first, second = self._waiting
        while first and second:
            yield PairScores(first.popleft(), second.popleft())


MAX_CODES: Final = 5_040  # for strategies that are not compiled heuristics


@dataclass(frozen=True, slots=True)
class ExactMeans:
    first: Fraction
    second: Fraction

    @property
    def difference(self) -> Fraction:
        return self.second - self.first

    def to_json(self) -> dict[str, Any]:
        return {"a": float(self.first), "b": float(self.second), "difference": float(self.difference)}


def has_exact_mean(strategy: Strategy, rules: Rules) -> bool:
    """Return True if ``strategy`` can be played against every secret in seconds."""
    return not strategy.uses_rng and rules.size <= (
        SMALL_SIZE if isinstance(strategy, CriterionStrategy) else MAX_CODES
    )


def exact_means(strategies: tuple[Strategy, Strategy], rules: Rules, guess_limit: int) -> ExactMeans | None:
    if not all(has_exact_mean(strategy, rules) for strategy in strategies):
        return None
    first, second = (mean_score(play_all_secrets(strategy, rules)[1], guess_limit) for strategy in strategies)
    return ExactMeans(first, second)


def mean_score(distribution: Sequence[int], guess_limit: int) -> Fraction:
    """Return the mean score under a guess limit; ``distribution[i]`` games take i + 1 guesses without one."""
    total = sum(min(guesses, guess_limit + 1) * games for guesses, games in enumerate(distribution, 1))
    return Fraction(total, sum(distribution))
