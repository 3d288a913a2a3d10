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
    """A receiver of reports on the connection, one for every attempt."""

    def connected(self) -> None:
        """Report that the broker accepted the connection."""
        ...

    def failed(self, error: Exception) -> None:
        """Report that the connection was lost or refused."""
        ...


class Cancelable(Protocol):
    """A call that was arranged for later."""

    def cancel(self) -> None:
        """Do not call."""
        ...


class LoggedConnection:
    """A report that logs one line when the connection is lost or refused, and one when it is back.

    Connections that are accepted and lost again within `STABLE_SECONDS` are one outage, because another server with the
    same id, or a broker that refuses every message, would fill the log. After the first of them, being back is logged
    when a connection was stable.
    """

    def __init__(
        self, log: BoundLogger, address: str, call_later: Callable[[float, Callable[[], None]], Cancelable]
    ) -> None:
        self._log = log.bind(broker=address)
        self._call_later = call_later
        self._is_out = False
        self._is_unstable = False
        self._is_stable = False
        self._timer: Cancelable | None = None

    def connected(self) -> None:
        """Log that the broker is there, unless the connection before was lost soon."""
        self._timer = self._call_later(STABLE_SECONDS, self._note_stable)
        if not self._is_unstable:
            self._is_out = False
            self._log.info("connected to the MQTT broker")

    def failed(self, error: Exception) -> None:
        """Log the reason of an outage, at its begin only."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._is_unstable = self._is_unstable or not self._is_stable
        self._is_stable = False
        if not self._is_out:
            self._is_out = True
            self._log.warning("no MQTT broker; matches go on, and results are sent later", why=_reason(error))

    def _note_stable(self) -> None:
        self._is_stable = True
        if self._is_unstable:
            self._is_unstable = self._is_out = False
            self._log.info("connected to the MQTT broker")


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
