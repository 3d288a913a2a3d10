"""The delays between attempts to reach the broker, and what else of time and randomness the feed needs."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Final

STABLE_SECONDS: Final = 10.0
"""A connection or a process that lasts so long begins a new series of delays when it is lost."""


@dataclass(frozen=True, slots=True)
class ReconnectDelays:
    """Exponential delays with jitter, in seconds; each is drawn from the upper half of its bound."""

    first: float = 0.25
    longest: float = 30.0

    def draw(self, failures: int, rng: Random) -> float:
        """Return the delay after ``failures`` attempts that failed in a row."""
        bound = min(self.longest, self.first * 2 ** min(failures, 32))
        return rng.uniform(bound / 2, bound)


@dataclass(frozen=True, slots=True)
class ReconnectTime:
    """The delays between attempts, and the clock and the randomness that they need. Tests replace both."""

    rng: Random
    now: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    delays: ReconnectDelays = ReconnectDelays()
