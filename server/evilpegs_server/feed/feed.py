import asyncio
from collections.abc import Sequence
from importlib.metadata import version
from random import Random
from typing import Any, Final

from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_protocol.broker import Broker
from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.feed.broker_connection import (
    QUEUE_BYTES,
    SILENCE_SECONDS,
    BrokerConnection,
    BrokerLostError,
    LiveEvents,
)
from evilpegs_server.feed.broker_log import ConnectionLog, RefusalLog
from evilpegs_server.feed.documents import (
    LadderStandings,
    OpenMatches,
    ServerState,
    deliver_document,
    publish_documents,
    state_payload,
)
from evilpegs_server.feed.publisher_messages import (
    BACKOFF,
    Connected,
    ConnectionFailed,
    PublisherSetup,
    RefusedMessage,
    reason_of,
)
from evilpegs_server.feed.results import FeedCursor, ResultFeed
from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.show.follower import FollowedEvent, Follower
from evilpegs_server.storage.writer import Writer
from evilpegs_server.work.child_process import ChildProcess, Retries

PROGRAM: Final = "evilpegs_server.feed.publisher"
STOP_SECONDS: Final = 1.0
"""The time for the last results to reach the broker when the server stops."""
# half a second for the goodbye of the publisher process, and some spare
GOODBYE_SECONDS: Final = 0.75


class Feed:
    """The live feed of a server; create it before the first match is open."""

    def __init__(
        self,
        broker: Broker,
        server_id: str,
        registry: MatchRegistry,
        engine: Engine,
        writer: Writer,
        follower: Follower,
        leaderboards: LiveLeaderboards,
        log: BoundLogger,
    ) -> None:
        loop = asyncio.get_running_loop()
        self._server_id = server_id
        self._topics = topics = FeedTopics(server_id)
        rng = Random()  # noqa: S311 - jitter
        self._wake = asyncio.Event()
        self._stopping = asyncio.Event()
        self._connection: BrokerConnection | None = None
        self._connected = asyncio.Event()
        self._connections = ConnectionLog(log, broker.address, loop.call_later)
        self._cursor = FeedCursor(engine, writer, loop.call_later)
        self._refusals = RefusalLog(log, broker.user)
        self._events = LiveEvents(topics, loop.call_later, log, QUEUE_BYTES)
        self._results = ResultFeed(engine, self._cursor, topics, self._wake, self._stopping, self._refusals, rng)
        self._open_matches = OpenMatches((ladder.id for ladder in registry.offered_ladders), lambda: registry.runners)
        self._standings = LadderStandings(registry.ladders.values(), leaderboards)
        setup = PublisherSetup(broker, f"evilpegs-{server_id}", topics.state, self._state("lost"))
        self._publisher = ChildProcess(
            "publisher process",
            PROGRAM,
            setup,
            Retries(BACKOFF, rng),
            self._handle_report,
            lambda why, _: self._handle_failure(why),
        )
        self._task: asyncio.Task[None] | None = None
        leaderboards.keep_counting()
        follower.listen(self._follow)

    def start(self) -> None:
        self._publisher.start()
        self._task = asyncio.create_task(self._publish_until_stopped())

    async def close(self) -> None:
        """Publish the last results and the state `stopped`, within `STOP_SECONDS`, and end the publisher process."""
        self._stopping.set()
        self._wake.set()
        if self._task is not None:
            if self._connection is not None:
                await asyncio.wait([self._task], timeout=STOP_SECONDS)
            self._task.cancel()
            await asyncio.wait([self._task])
        is_complete = self._task is not None and not self._task.cancelled()
        if is_complete and self._connection is not None:
            self._publisher.send(self._connection.goodbye)
            await self._publisher.close(GOODBYE_SECONDS)
        else:
            # without a goodbye, the broker publishes the last will, the state `lost`
            await self._publisher.close()
        self._cursor.store()

    def _state(self, state: ServerState) -> bytes:
        return state_payload(state, self._server_id, version("evilpegs"))

    def _follow(self, events: Sequence[FollowedEvent]) -> None:
        self._events.add(events)
        if any(event.type == "match_over" for event in events):
            self._wake.set()

    def _handle_report(self, report: Any) -> None:
        match report:
            case Connected():
                self._connections.connected()
                self._connection = BrokerConnection(report.connection, self._publisher.send)
                self._connected.set()
            case ConnectionFailed():
                self._handle_failure(report.why)
            case RefusedMessage():
                self._refusals.refused(report)
            case _ if self._connection is not None:
                self._connection.handle(report)

    def _handle_failure(self, why: str) -> None:
        self._connections.failed(why)
        if self._connection is not None:
            self._connection.lose()
            self._connection = None

    async def _publish_until_stopped(self) -> None:
        while True:
            connection = await self._next_connection()
            try:
                await self._publish(connection)
                return
            except* BrokerLostError:
                pass
            except* TimeoutError:
                self._publisher.abort()
            except* Exception as errors:  # noqa: BLE001 - the database may be readable again on the next connection
                connection.give_up(reason_of(errors))
            await self._wait_until_lost(connection)

    async def _next_connection(self) -> BrokerConnection:
        while self._connection is None:
            self._connected.clear()
            await self._connected.wait()
        return self._connection

    async def _wait_until_lost(self, connection: BrokerConnection) -> None:
        try:
            async with asyncio.timeout(SILENCE_SECONDS):
                await connection.wait_until_lost()
        except BrokerLostError:
            pass
        except TimeoutError:
            self._publisher.abort()

    async def _publish(self, connection: BrokerConnection) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                lost = group.create_task(connection.wait_until_lost())
                self._events.start(connection)  # first, because whoever reads `online` expects the events from then on
                await deliver_document(connection, self._topics.state, self._state("online"))
                await self._results.publish_next(connection)
                publishing = publish_documents(connection, self._topics, self._open_matches, self._standings)
                documents = group.create_task(publishing)
                await self._results.run(connection)
                await deliver_document(connection, self._topics.state, self._state("stopped"))
                lost.cancel()
                documents.cancel()
        finally:
            self._events.stop()
