"""Ranks from confidence intervals, and the levels at which intervals are shown and compared.

The level of an interval is the probability with which it may ever miss the mean. Levels are chosen so that a player
does not gain by trying often. The interval of the k-th client version of a player is shown at the level
0.05 * 6 / (pi^2 k^2). These levels add up to 0.05, so with a probability of at least 0.95 no shown interval of the
player ever misses its mean, for any number of versions. For comparisons, that level is divided by the number of players
on the ladder. With a probability of at least 0.95, no compared interval of the whole ladder then misses its mean, and
no row is wholly better than a row with the same mean.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

LEVEL: Final = 0.05
"""The probability that an interval of a player ever misses its mean, for all client versions of the player together."""


def version_level(version: int) -> float:
    """Return the probability with which the interval of a player's ``version``-th client version may miss the mean.

    Versions are counted from 1. The results for all versions, without end, add up to `LEVEL`.
    """
    return LEVEL * 6 / (math.pi * version) ** 2


def rank_intervals(intervals: Iterable[Sequence[float]]) -> list[tuple[int, int]]:
    """Return the best and the worst possible rank of each interval (low, high) of a mean, in the given order.

    Lower means are better, and ranks begin at 1. The best possible rank is 1 plus the number of intervals that lie
    wholly below the interval. The worst possible rank is the number of intervals that do not lie wholly above it; the
    interval itself is one of them.
    """
    ends = [(low, high) for low, high in intervals]
    lows, highs = sorted(low for low, _ in ends), sorted(high for _, high in ends)
    return [(1 + bisect_left(highs, low), bisect_right(lows, high)) for low, high in ends]
