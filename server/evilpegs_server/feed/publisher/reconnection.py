"""The loop that connects to the broker again after each failure, with growing delays."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from evilpegs_server.feed.publisher.client import FeedClient, connected
from evilpegs_server.feed.publisher_messages import reason_of
from evilpegs_server.feed.reconnect_time import STABLE_SECONDS, ReconnectTime


class ConnectionReport(Protocol):
    """The interface of an object that is notified of each connection to the broker and of each failure."""

    def connected(self) -> None:
        """Report that the broker accepted the connection."""
        ...

    def failed(self, why: str) -> None:
        """Report that the connection was lost or refused; ``why`` is the reason in one line."""
        ...


async def keep_connected(
    new_client: Callable[[], FeedClient],
    use: Callable[[FeedClient], Awaitable[None]],
    report: ConnectionReport,
    time: ReconnectTime,
) -> None:
    """Connect to the broker and call ``use`` with the client; after every failure, connect again with a new client.

    An error in ``use`` is a failure too. Return when ``use`` returns without an error. ``report`` is notified of each
    connection and each failure, and ``time`` decides the delays before new attempts.
    """
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
            report.failed(reason_of(error))
        if began is not None and time.now() - began >= STABLE_SECONDS:
            failures = 0
        await time.sleep(time.delays.draw(failures, time.rng))
        failures += 1
