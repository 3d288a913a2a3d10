"""Delays before repeated attempts: they grow, and random jitter keeps clients from trying at the same moment."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from evilpegs_clients.connection.connection import DIAL_SECONDS

Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays in seconds, drawn between half of a bound and the bound, which doubles from ``first`` to ``longest``."""

    first: float = 0.2
    longest: float = 10.0
    attempts: int = 40

    def delays(self, rng: Random) -> Iterator[float]:
        for attempt in range(self.attempts):
            bound = min(self.longest, self.first * 2**attempt)
            yield rng.uniform(bound / 2, bound)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Attempts after a cut connection or temporary refusal; connecting and logging in take ``timeout`` seconds each."""

    rng: Random
    sleep: Sleep = asyncio.sleep
    backoff: Backoff = field(default_factory=Backoff)
    timeout: float = DIAL_SECONDS

    def delays(self) -> Iterator[float]:
        return self.backoff.delays(self.rng)
