"""The delays between attempts to reach the broker, and the clock and the random numbers for them."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Final

STABLE_SECONDS: Final = 10.0
"""The seconds after which a connection or a process is stable, so that after its loss the delays are short again."""


@dataclass(frozen=True, slots=True)
class ReconnectDelays:
    """Exponential delays with jitter, in seconds.

    The bound of a delay is ``first`` after the first failure, and doubles with each further failure up to ``longest``.
    Each delay is drawn at random between half its bound and its bound.
    """

    first: float = 0.25
    longest: float = 30.0

    def draw(self, failures: int, rng: Random) -> float:
        """Return the seconds to wait after a failed attempt.

        ``failures`` is the number of failed attempts in a row before this one, 0 for the first.
        """
        bound = min(self.longest, self.first * 2 ** min(failures, 32))
        return rng.uniform(bound / 2, bound)


@dataclass(frozen=True, slots=True)
class ReconnectTime:
    """The delays between attempts to reach the broker, with the clock and the random numbers for them.

    ``rng`` draws the delays. ``now`` returns the seconds of a monotonic clock, and ``sleep`` waits for a number of
    seconds; tests replace them.
    """

    rng: Random
    now: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    delays: ReconnectDelays = ReconnectDelays()
