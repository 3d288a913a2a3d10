"""How long to wait before trying again: longer each time, and never in step with other clients."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential delays with jitter, in seconds: each is drawn from the upper half of its bound.

    The bounds double from ``first`` up to ``longest``; after ``attempts`` of them one gives up.
    """

    first: float = 0.2
    longest: float = 10.0
    attempts: int = 40

    def delays(self, rng: Random) -> Iterator[float]:
        """The delays of one series of attempts."""
        for attempt in range(self.attempts):
            bound = min(self.longest, self.first * 2**attempt)
            yield rng.uniform(bound / 2, bound)
