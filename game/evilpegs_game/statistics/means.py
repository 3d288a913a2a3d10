"""Means and their differences after a number of games that was fixed before: Student's t, paired and Welch's test.

Pair the games of two strategies that played the same secrets. These tend to be easy, or hard, for both, so that the
differences within games vary less than the guesses, and fewer games tell the strategies apart.
"""

from dataclasses import dataclass
from math import ceil, hypot, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple, Self

import numpy as np

NORMAL_95: Final = 1.959964
"""The standard deviations on each side of the mean that contain 95 % of a normal distribution."""

# the quantiles for 1, 2, 3 ... degrees of freedom
_STUDENT_95: Final = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)

CONFIDENCE: Final = 0.95
POWER: Final = 0.8  # the probability that the games still needed show a difference, if the true one is as measured


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


def deviation(count: int, total: int, squares: int) -> float:
    """Return the sample standard deviation of integers; exact sums lose no precision beside a large mean."""
    return sqrt((count * squares - total * total) / (count * (count - 1)))


def student_interval(count: int, total: int, squares: int) -> tuple[float, float] | None:
    """Return the 95 % confidence interval of a mean, from the sums of integers and of their squares.

    It is None after one value or equal ones. These do not show how much further ones would vary, so an interval of
    width 0 would claim certainty.
    """
    if count < 2 or not (error := deviation(count, total, squares)):
        return None
    mean, reach = total / count, student_95(count - 1) * error / sqrt(count)
    return mean - reach, mean + reach


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
            raise ValueError(f"{len(lengths)} and {len(others)} games cannot be paired")
        difference = np.frombuffer(lengths, np.uint8).astype(np.int64) - np.frombuffer(others, np.uint8)
        return cls(len(lengths), int(difference.sum()), int((difference * difference).sum()))

    @property
    def mean(self) -> float:
        return self.total / self.games

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the mean difference; None if all differences are equal.

        `most_other` is the bound that equal differences do prove.
        """
        return student_interval(self.games, self.total, self.squares)

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
        return deviation(self.games, self.total, self.squares) if self.games > 1 else 0.0


class Moments(NamedTuple):
    """A sample: its number of values, their mean and their standard deviation."""

    size: int
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class WelchTest:
    """Welch's test of two means with unequal variances, with the normal distribution in place of Student's.

    From 20 values on, the two distributions differ less from each other than real scores differ from both.
    """

    first: Moments
    second: Moments

    @property
    def difference(self) -> float:
        return self.second.mean - self.first.mean

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the difference with the confidence `CONFIDENCE`."""
        reach = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * self._error
        return self.difference - reach, self.difference + reach

    @property
    def probability(self) -> float:
        """The probability that samples with equal means would differ by at least as much."""
        if not self._error:
            return float(self.difference == 0)
        return 2 * NormalDist().cdf(-abs(self.difference) / self._error)

    @property
    def more_values(self) -> int | None:
        """The further values of each sample after which the interval excludes 0 with the probability `POWER`.

        It takes the measured difference for the true one, and is None if that is 0.
        """
        if self.difference == 0:
            return None
        if self.probability <= 1 - CONFIDENCE:
            return 0
        normal = NormalDist()
        reach = normal.inv_cdf((1 + CONFIDENCE) / 2) + normal.inv_cdf(POWER)
        needed = ceil(reach**2 * (self.first.deviation**2 + self.second.deviation**2) / self.difference**2)
        return max(1, needed - min(self.first.size, self.second.size))

    @property
    def _error(self) -> float:
        return hypot(*(each.deviation / sqrt(each.size) for each in (self.first, self.second)))
