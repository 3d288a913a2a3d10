import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from importlib.metadata import version
from random import Random
from typing import Final, Literal

import aiomqtt
import orjson
from structlog.stdlib import BoundLogger

from evilpegs_protocol.broker import Broker
from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.feed.broker_log import ConnectionLog, RefusalLog
from evilpegs_server.feed.cursor import FeedCursor
from evilpegs_server.feed.documents import Documents
from evilpegs_server.feed.event_feed import BACKOFF, EventFeed
from evilpegs_server.feed.mqtt_client import Delivery, FeedClient, connected
from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.show.follower import Follower
from evilpegs_server.storage.queries import Reader
from evilpegs_server.timing import Timing
from evilpegs_server.work.child_process import Retries

STORE_SECONDS: Final = 1.0


class Feed:
    """The live feed of a server. It publishes nothing if another process has the cursor."""

    def __init__(
        self,
        broker: Broker,
        server_id: str,
        ladders: Mapping[str, Ladder],
        offered: Collection[str],
        engine: Reader,
        follower: Follower,
        leaderboards: LiveLeaderboards,
        cursor: FeedCursor,
        log: BoundLogger,
        timing: Timing,
    ) -> None:
        self._broker, self._timing = broker, timing
        self._topics = topics = FeedTopics(server_id)
        self._cursor = cursor
        self._retries = Retries(BACKOFF, rng := Random())  # noqa: S311 - jitter
        self._wake, self._stopping, self._closed = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._is_connected = False
        self._connections = ConnectionLog(log, broker.address, asyncio.get_running_loop().call_later)
        self._refusals = RefusalLog(log, broker.user)
        self._events = EventFeed(engine, cursor, topics, follower, self._wake, self._stopping, self._refusals, rng)
        period = timing.documents_seconds
        self._documents = Documents(topics, ladders, offered, engine, follower, leaderboards, period)
        self._publishing: asyncio.Task[None] | None = None
        self._storing: asyncio.Task[None] | None = None
        follower.wake(self._wake.set)

    def start(self) -> None:
        if not self._cursor.is_taken:
            publishing = keep_connected(
                self._new_client, self._use, self._connections, self._retries, self._broker.tls_hint
            )
            self._publishing = asyncio.create_task(publishing)
            self._storing = asyncio.create_task(self._store_cursor())

    async def close(self) -> None:
        """Publish the last results and the state `stopped`, within ``feed_stop_seconds``."""
        if self._publishing is not None and self._storing is not None:
            self._stopping.set()
            self._wake.set()
            if self._is_connected:
                await asyncio.wait([self._publishing], timeout=self._timing.feed_stop_seconds)
            while not self._publishing.done():  # aiomqtt may lose a cancellation while it connects
                # without a goodbye, the broker publishes the last will, the state `lost`
                self._publishing.cancel()
                await asyncio.wait([self._publishing], timeout=self._timing.feed_stop_seconds)
            self._closed.set()
            await self._storing
        self._cursor.close()

    def _new_client(self) -> FeedClient:
        will = aiomqtt.Will(self._topics.state, self._state("lost").payload, qos=1, retain=True)
        return FeedClient(self._broker, f"evilpegs-{self._topics.server}", will, self._refusals.refused, self._timing)

    async def _use(self, client: FeedClient) -> None:
        self._is_connected = True
        try:
            async with asyncio.TaskGroup() as group:
                lost = group.create_task(client.wait_until_lost())
                await client.deliver(self._state("online"))
                await self._events.publish_next(client, self._events.follower.sent, to_first_result=True)
                documents = group.create_task(self._documents.publish(client))
                await self._events.run(client)
                await client.deliver(self._state("stopped"))
                lost.cancel()
                documents.cancel()
        finally:
            self._is_connected = False

    def _state(self, state: Literal["online", "stopped", "lost"]) -> Delivery:
        # without a time, because the broker gets the state `lost`, the last will, long before it publishes it
        document = {"state": state, "server": self._topics.server, "version": version("evilpegs")}
        return Delivery(self._topics.state, orjson.dumps(document), is_retained=True)

    async def _store_cursor(self) -> None:
        while not self._closed.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(STORE_SECONDS):
                    await self._closed.wait()
            await asyncio.to_thread(self._cursor.store)


async def keep_connected(
    new_client: Callable[[], FeedClient],
    use: Callable[[FeedClient], Awaitable[None]],
    log: ConnectionLog,
    retries: Retries,
    hint: Callable[[], Awaitable[str]],
) -> None:
    """Connect and ``use`` the client; after every failure, of ``use`` too, again, until ``use`` returns."""
    while True:
        client = new_client()
        try:
            async with connected(client):
                retries.begin()
                log.connected()
                await use(client)
                return
        except Exception as error:  # noqa: BLE001 - no fault of a broker, a disk or the feed may end the feed
            if (task := asyncio.current_task()) is not None and task.cancelling():
                return  # Python 3.11 loses a cancellation that comes together with the failure
            log.failed(_reason_of(error) + await hint())
        await retries.wait()


def _reason_of(error: BaseException) -> str:
    # the first line of its text, or of that of its cause or first member; else its class
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    error = error.__cause__ or error
    return str(error).partition("\n")[0] or type(error).__name__
