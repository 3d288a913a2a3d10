"""Simulation: the mean number of guesses of a strategy, estimated from random games.

It is meant for rules on which playing every secret takes too long, and for strategies with random choices.

Each game has a number. The secret of a game and each random choice in it come from generators that the number and the
turn determine. So a block of games has the same result wherever it is played, and the results of blocks can be added.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from math import sqrt
from typing import Final, TypeVar

from evilpegs_game.codes import Code, code_at
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.distribution import GuessCounts
from evilpegs_game.feedback import all_black, feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.random_source import RandomSource
from evilpegs_game.rules import Rules

NORMAL_95: Final = 1.959964
"""The standard deviations on each side of the mean that contain 95 % of a normal distribution."""

# the quantiles for 1, 2, 3 ... degrees of freedom
_STUDENT_95: Final = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)

MAX_TURNS: Final = 200
"""The most guesses of one game before a strategy counts as stuck; it fits a byte."""

_D = TypeVar("_D", bound=RandomSource)


@dataclass(frozen=True, slots=True)
class Simulation(GuessCounts):
    """The guesses of at least one random game."""

    def __add__(self, other: "Simulation") -> "Simulation":
        if self.rules != other.rules:
            message = f"cannot combine games of {self.rules} and {other.rules}"
            raise ValueError(message)
        pairs = zip_longest(self.distribution, other.distribution, fillvalue=0)
        return Simulation(self.rules, tuple(map(sum, pairs)))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the expected guesses per game, by Student's t.

        It is None if the spread is unknown: after one game, or if all games took the same number of guesses.
        """
        squares = sum(guesses * guesses * games for guesses, games in enumerate(self.distribution, 1))
        spread = squares * self.count - self.total**2  # exact: the variance, times games and games - 1
        if not spread:
            return None
        error = student_95(self.count - 1) * sqrt(spread / (self.count - 1)) / self.count
        return self.mean - error, self.mean + error


def student_95(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t, right to 1 in 10,000.

    Above 10 degrees of freedom, a series expansion: R. A. Fisher and E. A. Cornish, The percentile points of
    distributions, Technometrics 2 (1960).
    """
    if freedom <= len(_STUDENT_95):
        return _STUDENT_95[freedom - 1]
    z = NORMAL_95
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def simulate(
    choose: Callable[[Position, _D], Code], rules: Rules, games: range, game_rngs: Callable[[int], Callable[[int], _D]]
) -> Simulation:
    """Play random games of a strategy and return the distribution of their guesses.

    ``games`` are the numbers of the games, at least one. ``game_rngs(i)`` returns, for game i, a function from the turn
    to a random generator; that of turn 0 draws the secret. Raises StuckError if a game takes over `MAX_TURNS` guesses.
    """
    return Simulation(rules, length_counts(game_lengths(choose, rules, games, game_rngs)))


def game_lengths(
    choose: Callable[[Position, _D], Code], rules: Rules, games: range, game_rngs: Callable[[int], Callable[[int], _D]]
) -> bytes:
    """Play the games of `simulate` and return their numbers of guesses, one byte per game."""
    live_sets = LiveSets()
    return bytes(_play_game(choose, Position(rules, (), live_sets), game_rngs(number)) for number in games)


def length_counts(lengths: bytes) -> tuple[int, ...]:
    """Return, at index i, how many games took i + 1 guesses."""
    counts = Counter(lengths)
    return tuple(counts[guesses] for guesses in range(1, max(counts, default=0) + 1))


def _play_game(choose: Callable[[Position, _D], Code], position: Position, turn_rng: Callable[[int], _D]) -> int:
    secret = code_at(turn_rng(0).randrange(position.rules.size), position.rules)
    for turn in range(1, MAX_TURNS + 1):
        guess = choose(position, turn_rng(turn))
        reply = feedback(guess, secret)
        if reply == all_black(position.rules.pegs):
            return turn
        position = position.after(guess, reply)
    message = f"the strategy is stuck: a game of {position.rules} was not over after {MAX_TURNS} guesses"
    raise StuckError(message)
