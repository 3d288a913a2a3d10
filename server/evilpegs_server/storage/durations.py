"""A histogram of durations, kept as plain numbers for the metrics."""

from bisect import bisect_left
from typing import Final

BOUNDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""The upper bounds of the buckets in seconds. A last bucket, which is not listed, has all longer durations.

The bound of 20 milliseconds is the longest time that a request to the site may hold the event loop.
"""


class Durations:
    """A histogram of durations.

    ``counts[i]`` is the number of durations that are at most ``BOUNDS[i]`` seconds, but longer than the bound before.
    The last element counts the durations longer than all bounds. ``seconds`` is the sum of all durations. Only one
    thread may add durations; other threads may read at the same time.
    """

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    def add(self, seconds: float) -> None:
        """Add a duration in seconds."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds
