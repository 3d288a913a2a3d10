"""A histogram of durations as plain numbers, which a metrics page reads when it is asked for."""

from bisect import bisect_left
from typing import Final

BOUNDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""The upper bounds of the buckets in seconds, without the last bucket, which has none.

One is 20 milliseconds, the longest that a request to the site may hold the event loop.
"""


class Durations:
    """The number of durations in each bucket of `BOUNDS`, and their sum in seconds.

    One thread adds, others may read at the same time.
    """

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    def add(self, seconds: float) -> None:
        """Add a duration."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds
