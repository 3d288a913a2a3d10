"""Ranks from intervals, and the levels at which intervals are shown and compared.

Two levels keep a player from gaining by trying often. The k-th client version of a player has the level 0.05 * 6 /
(pi^2 k^2). These levels add up to 0.05, so with a probability of at least 0.95 no interval of the player ever misses
its mean, whatever the number of versions. Comparisons divide that level by the number of names on the ladder, so that
with a probability of at least 0.95 no compared interval of the whole ladder misses its mean, and then no row is wholly
better than an equal one.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

LEVEL: Final = 0.05
"""The probability that the interval of a player ever misses the mean, for all client versions together."""


def version_level(version: int) -> float:
    """Return the probability with which the interval of a player's ``version``-th client version may miss the mean.

    Versions are counted from 1, and these levels of all versions of a player add up to `LEVEL`.
    """
    return LEVEL * 6 / (math.pi * version) ** 2


def rank_intervals(intervals: Iterable[Sequence[float]]) -> list[tuple[int, int]]:
    """Return the best and the worst possible rank of each interval (low, high) of a mean; lower means are better.

    The best possible rank is 1 plus the number of wholly better intervals. The worst possible rank is the number of
    intervals that are not wholly worse, including the interval itself.
    """
    ends = [(low, high) for low, high in intervals]
    lows, highs = sorted(low for low, _ in ends), sorted(high for _, high in ends)
    return [(1 + bisect_left(highs, low), bisect_right(lows, high)) for low, high in ends]
