import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Final

STABLE_SECONDS: Final = 10.0
"""The seconds after which a connection or process is stable, so that delays are short again."""


@dataclass(frozen=True, slots=True)
class ReconnectDelays:
    """Exponential delays in seconds, drawn between half a bound and the bound, which doubles up to ``longest``."""

    first: float = 0.25
    longest: float = 30.0

    def draw(self, failures: int, rng: Random) -> float:
        """Draw a delay after ``failures`` earlier failures in a row."""
        bound = min(self.longest, self.first * 2 ** min(failures, 32))
        return rng.uniform(bound / 2, bound)


@dataclass(frozen=True, slots=True)
class ReconnectTime:
    """The delays, with a monotonic clock in seconds and random numbers; tests replace them."""

    rng: Random
    now: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    delays: ReconnectDelays = ReconnectDelays()
