import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_protocol.broker import Broker
from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.feed.broker_connection import SILENCE_SECONDS, BrokerConnection, BrokerLostError
from evilpegs_server.feed.connection_log import ConnectionLog
from evilpegs_server.feed.documents import (
    LadderStandings,
    OpenMatches,
    RetainedFeed,
    ServerState,
    StandingsTexts,
    deliver_document,
    state_payload,
)
from evilpegs_server.feed.live_events import QUEUE_BYTES, LiveEvents
from evilpegs_server.feed.publisher_messages import (
    Connected,
    ConnectionFailed,
    PublisherSetup,
    RefusedMessage,
    reason_of,
)
from evilpegs_server.feed.publisher_process import PublisherProcess
from evilpegs_server.feed.reconnect_time import ReconnectTime
from evilpegs_server.feed.refusals import RefusalLog
from evilpegs_server.feed.results import FeedCursor, ResultFeed
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.storage.writer import Writer

STOP_SECONDS: Final = 1.0
"""The time for the last results to reach the broker when the server stops."""


@dataclass(frozen=True, slots=True)
class FeedServices:
    broker: Broker
    server_id: str
    version: str
    registry: MatchRegistry
    engine: Engine
    writer: Writer
    leaderboards: StandingsTexts
    log: BoundLogger


class Feed:
    """The live feed of a server; create it before the first match is open."""

    def __init__(self, services: FeedServices, time: ReconnectTime | None = None) -> None:
        loop = asyncio.get_running_loop()
        self._services = services
        self._topics = FeedTopics(services.server_id)
        time = time or ReconnectTime(Random(), loop.time)  # noqa: S311 - jitter
        self._wake = asyncio.Event()
        self._stopping = asyncio.Event()
        self._connection: BrokerConnection | None = None
        self._connected = asyncio.Event()
        self._connections = ConnectionLog(services.log, services.broker.address, loop.call_later)
        self._cursor = FeedCursor(services.engine, services.writer, loop.call_later)
        self._refusals = RefusalLog(services.log, services.broker.user)
        self._events = LiveEvents(self._topics, loop.call_later, services.log, QUEUE_BYTES)
        self._results = ResultFeed(
            services.engine, self._cursor, self._topics, self._wake, self._stopping, self._refusals, time
        )
        self._documents = self._retained_feed()
        self._publisher = PublisherProcess(self._setup(), self._handle_report, self._handle_failure, time)
        self._task: asyncio.Task[None] | None = None
        services.registry.audience.follow(self._follow)

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
        await self._say_goodbye()
        self._cursor.store()

    async def _say_goodbye(self) -> None:
        is_complete = self._task is not None and not self._task.cancelled()
        if is_complete and self._connection is not None:
            await self._publisher.close(self._connection.goodbye)
        else:
            # without a goodbye, the broker publishes the last will, the state `lost`
            await self._publisher.close()

    def _retained_feed(self) -> RetainedFeed:
        registry = self._services.registry
        open_matches = OpenMatches((ladder.id for ladder in registry.offered_ladders), lambda: registry.runners)
        standings = LadderStandings(registry.ladders.values(), self._services.leaderboards)
        return RetainedFeed(self._topics, open_matches, standings)

    def _setup(self) -> PublisherSetup:
        client_id = f"evilpegs-{self._services.server_id}"
        return PublisherSetup(self._services.broker, client_id, self._topics.state, self._state("lost"))

    def _state(self, state: ServerState) -> bytes:
        return state_payload(state, self._services.server_id, self._services.version)

    def _follow(self, match: str, entries: Sequence[LogEntry]) -> None:
        self._events.add(match, entries)
        if entries[-1].type == "match_over":
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
                self._events.start(connection)  # first, because who reads `online` expects the events from then on
                await deliver_document(connection, self._topics.state, self._state("online"))
                await self._results.publish_next(connection)
                documents = group.create_task(self._documents.run(connection))
                await self._results.run(connection)
                await deliver_document(connection, self._topics.state, self._state("stopped"))
                lost.cancel()
                documents.cancel()
        finally:
            self._events.stop()
