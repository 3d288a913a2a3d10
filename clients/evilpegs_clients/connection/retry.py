import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from evilpegs_clients.connection.connection import DIAL_SECONDS
from evilpegs_protocol.backoff import Backoff

Sleep = Callable[[float], Awaitable[object]]
_BACKOFF: Final = Backoff(first=0.2, longest=10.0)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Attempts after a cut connection or temporary refusal; connecting and logging in take ``timeout`` seconds each."""

    rng: Random
    sleep: Sleep = asyncio.sleep
    backoff: Backoff = _BACKOFF
    attempts: int = 40
    timeout: float = DIAL_SECONDS

    def delays(self) -> Iterator[float]:
        return (self.backoff.delay(attempt, self.rng) for attempt in range(self.attempts))
