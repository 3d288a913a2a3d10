"""Waiting before the next attempt: a little longer each time, and never in step with other clients."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from evilpegs_clients.connection.connection import DIAL_SECONDS

Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential delays with jitter, in seconds.

    The upper bound of the delay doubles from ``first`` up to ``longest``. Each delay is drawn at random between half of
    its bound and the bound. After ``attempts`` delays the client gives up.
    """

    first: float = 0.2
    longest: float = 10.0
    attempts: int = 40

    def delays(self, rng: Random) -> Iterator[float]:
        """Yield the delays of one series of attempts, drawn with ``rng``."""
        for attempt in range(self.attempts):
            bound = min(self.longest, self.first * 2**attempt)
            yield rng.uniform(bound / 2, bound)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The delays and attempts of a session after a cut connection or a temporary refusal.

    ``rng`` draws the jitter; ``timeout`` bounds each step of connecting and logging in, in seconds. Tests pass a
    ``sleep`` that returns at once.
    """

    rng: Random
    sleep: Sleep = asyncio.sleep
    backoff: Backoff = field(default_factory=Backoff)
    timeout: float = DIAL_SECONDS

    def delays(self) -> Iterator[float]:
        """Yield the delays of one series of attempts, in seconds."""
        return self.backoff.delays(self.rng)
