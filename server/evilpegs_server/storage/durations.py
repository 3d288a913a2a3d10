"""A histogram of durations, kept as plain numbers for the metrics."""

from bisect import bisect_left
from typing import Final

# in seconds; 0.02 is the longest time that a request to the site may hold the event loop
BOUNDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Durations:
    """A count for each bound, and for longer durations; only one thread may add, while others read."""

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds
