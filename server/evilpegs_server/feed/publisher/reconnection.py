from collections.abc import Awaitable, Callable
from typing import Protocol

from evilpegs_server.feed.publisher.client import FeedClient, connected
from evilpegs_server.feed.publisher_messages import reason_of
from evilpegs_server.feed.reconnect_time import STABLE_SECONDS, ReconnectTime


class ConnectionReport(Protocol):
    def connected(self) -> None: ...

    def failed(self, why: str) -> None: ...


async def keep_connected(
    new_client: Callable[[], FeedClient],
    use: Callable[[FeedClient], Awaitable[None]],
    report: ConnectionReport,
    time: ReconnectTime,
) -> None:
    """Connect and ``use`` the client; after every failure, of ``use`` too, again, until ``use`` returns."""
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
