"""Delays before repeated attempts: they grow, and random jitter keeps clients from trying at the same moment."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from evilpegs_clients.connection.connection import DIAL_SECONDS

Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Backoff:
    """A series of delays in seconds that grow exponentially, with random jitter.

    The upper bound of a delay is ``first`` at the beginning and doubles each time, up to ``longest``. Each delay is
    drawn at random between half of its upper bound and the upper bound. The series ends after ``attempts`` delays.
    """

    first: float = 0.2
    longest: float = 10.0
    attempts: int = 40

    def delays(self, rng: Random) -> Iterator[float]:
        """Yield ``attempts`` delays in seconds, which grow up to ``longest``; ``rng`` draws the jitter."""
        for attempt in range(self.attempts):
            bound = min(self.longest, self.first * 2**attempt)
            yield rng.uniform(bound / 2, bound)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The number of attempts, and the delays between them, after a cut connection or a temporary refusal.

    ``rng`` draws the jitter of the delays. Connecting and logging in take at most ``timeout`` seconds each. ``sleep``
    waits for a number of seconds; tests pass one that returns at once.
    """

    rng: Random
    sleep: Sleep = asyncio.sleep
    backoff: Backoff = field(default_factory=Backoff)
    timeout: float = DIAL_SECONDS

    def delays(self) -> Iterator[float]:
        """Yield ``backoff.attempts`` delays in seconds, which grow up to ``backoff.longest``, with random jitter."""
        return self.backoff.delays(self.rng)
