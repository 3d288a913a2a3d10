"""Ranks from confidence intervals, and the levels at which intervals are shown and compared.

Levels are chosen so that a player does not gain by trying often. The interval of the k-th client version of a player is
shown at the level 0.05 * 6 / (pi^2 k^2). These levels add up to 0.05, so with a probability of at least 0.95 no shown
interval of the player ever misses its mean, for any number of versions. For comparisons, that level is divided by the
number of players on the ladder. With a probability of at least 0.95, no compared interval of the whole ladder then
misses its mean, and no row is wholly better than a row with the same mean.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

LEVEL: Final = 0.05


def version_level(version: int) -> float:
    """Return the level for the ``version``-th client version of a player; all levels add up to `LEVEL`."""
    return LEVEL * 6 / (math.pi * version) ** 2


def rank_intervals(intervals: Iterable[Sequence[float]]) -> list[tuple[int, int]]:
    """Return the best and the worst possible rank of each interval (low, high) of a mean; lower means are better."""
    ends = [(low, high) for low, high in intervals]
    lows, highs = sorted(low for low, _ in ends), sorted(high for _, high in ends)
    # the best rank counts the intervals wholly below, the worst those not wholly above, itself among them
    return [(1 + bisect_left(highs, low), bisect_right(lows, high)) for low, high in ends]
