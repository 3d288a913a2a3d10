"""The one place that connects to the broker again: growing delays, and one line in the log per outage."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

from structlog.stdlib import BoundLogger

from evilpegs_server.feed.client import FeedClient, connected

STABLE_SECONDS: Final = 10.0
"""A connection that lasts so long begins a new series of delays when it is lost."""


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


class ConnectionReport(Protocol):
    """Where the state of the connection is reported. It hears of every attempt."""

    def connected(self) -> None:
        """Report that the broker accepted the connection."""
        ...

    def failed(self, error: Exception) -> None:
        """Report that the connection was lost or refused."""
        ...


class LoggedConnection:
    """A report that logs one line when the connection is lost or refused, and one when it is back."""

    def __init__(self, log: BoundLogger, address: str) -> None:
        self._log = log.bind(broker=address)
        self._is_out = False

    def connected(self) -> None:
        """Log that the broker is there."""
        self._is_out = False
        self._log.info("connected to the MQTT broker")

    def failed(self, error: Exception) -> None:
        """Log the reason of an outage, at its begin only."""
        if not self._is_out:
            self._is_out = True
            self._log.warning("no MQTT broker; matches go on, and results are sent later", why=_reason(error))


async def keep_connected(
    new_client: Callable[[], FeedClient],
    use: Callable[[FeedClient], Awaitable[None]],
    report: ConnectionReport,
    time: ReconnectTime,
) -> None:
    """Connect, run ``use``, and connect again after every failure, until ``use`` returns."""
    failures = 0
    while True:
        began: float | None = None
        client = new_client()
        try:
            async with connected(client):
                began = time.now()
                report.connected()
                await use(client)
                return
        except Exception as error:  # noqa: BLE001 - no fault of a broker or of the feed may end the feed
            report.failed(error)
        if began is not None and time.now() - began >= STABLE_SECONDS:
            failures = 0
        await time.sleep(time.delays.draw(failures, time.rng))
        failures += 1


def _reason(error: BaseException) -> str:
    """Return the first line of an error; of a group, that of its first member."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    error = error.__cause__ or error
    return str(error).partition("\n")[0] or type(error).__name__
