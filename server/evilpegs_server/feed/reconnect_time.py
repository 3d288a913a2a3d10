"""The delays between attempts to reach the broker, with the clock and the randomness that they need."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Final

STABLE_SECONDS: Final = 10.0
"""The seconds after which a connection or a process is stable, so that delays after its loss begin with the first."""


@dataclass(frozen=True, slots=True)
class ReconnectDelays:
    """Exponential delays with jitter, in seconds.

    The bound of a delay doubles with each failure, from ``first`` up to ``longest``. Each delay is drawn between half
    its bound and its bound.
    """

    first: float = 0.25
    longest: float = 30.0

    def draw(self, failures: int, rng: Random) -> float:
        """Return the delay in seconds after an attempt that failed, with ``failures`` failures in a row before it."""
        bound = min(self.longest, self.first * 2 ** min(failures, 32))
        return rng.uniform(bound / 2, bound)


@dataclass(frozen=True, slots=True)
class ReconnectTime:
    """The delays between attempts, with the clock and the randomness that they need; tests replace both.

    ``now`` returns seconds, and ``sleep`` waits for a number of seconds.
    """

    rng: Random
    now: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    delays: ReconnectDelays = ReconnectDelays()
