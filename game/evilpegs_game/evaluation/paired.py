"""The difference of two strategies that played the same secrets, game by game.

The same secrets tend to be easy, or hard, for both strategies. So the differences within games vary less than the
numbers of guesses, and fewer games tell two strategies apart than their separate confidence intervals suggest.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Self

import numpy as np

from evilpegs_game.evaluation.simulation import NORMAL_95, student_95


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The guesses of a first strategy minus those of a second, game by game: their sum and the sum of their squares."""

    games: int
    total: int
    squares: int

    @classmethod
    def of(cls, lengths: bytes, others: bytes) -> Self:
        """Compare the guesses per game, one byte each; raises ValueError if there are no games, or not equally many."""
        if len(lengths) != len(others) or not lengths:
            message = f"{len(lengths)} and {len(others)} games cannot be paired"
            raise ValueError(message)
        difference = np.frombuffer(lengths, np.uint8).astype(np.int64) - np.frombuffer(others, np.uint8)
        return cls(len(lengths), int(difference.sum()), int((difference * difference).sum()))

    @property
    def mean(self) -> float:
        return self.total / self.games

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the mean difference, by Student's t; None if all differences are equal.

        Equal differences do not show how much the differences of further games would vary, so an interval of width 0
        would claim certainty. `most_other` is the bound that equal differences do prove.
        """
        deviation = self._deviation
        if not deviation:
            return None
        error = student_95(self.games - 1) * deviation / sqrt(self.games)
        return self.mean - error, self.mean + error

    @property
    def most_other(self) -> float | None:
        """An upper bound, with 95 % confidence, on the share of games with a new difference; None if differences vary.

        If the share were larger, all differences so far would be equal with a probability of less than 5 %. The bound
        is about 3 divided by the number of games.
        """
        return None if self._deviation else 1 - 0.05 ** (1 / self.games)

    @property
    def is_separated(self) -> bool:
        """True if the confidence interval excludes 0; False also without an interval."""
        interval = self.interval
        return interval is not None and (interval[0] > 0 or interval[1] < 0)

    @property
    def games_to_separate(self) -> int | None:
        """The number of games after which `interval` would exclude 0; None if the mean or the deviation is 0.

        It is estimated as if the mean and the standard deviation of the differences stayed as they are.
        """
        if not self.total or not self._deviation:
            return None
        return int((NORMAL_95 * self._deviation / self.mean) ** 2) + 1

    @property
    def _deviation(self) -> float:
        spread = self.squares * self.games - self.total**2  # exact: the variance, times games and games - 1
        return sqrt(spread / (self.games * (self.games - 1))) if spread else 0.0
