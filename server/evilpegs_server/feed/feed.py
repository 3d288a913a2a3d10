"""The feed of a server as a whole: it follows the matches, keeps a connection to the broker, and stops in order."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import aiomqtt
from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_protocol.broker import Broker
from evilpegs_protocol.feed_topics import FeedTopics
from evilpegs_server.feed.client import FeedClient
from evilpegs_server.feed.connection import LoggedConnection, ReconnectTime, keep_connected
from evilpegs_server.feed.documents import (
    LadderStandings,
    Leaderboards,
    OpenMatches,
    RetainedFeed,
    ServerState,
    deliver_document,
    state_payload,
)
from evilpegs_server.feed.live_events import QUEUE_BYTES, LiveEvents
from evilpegs_server.feed.refusals import RefusalLog
from evilpegs_server.feed.results import FeedCursor, ResultFeed
from evilpegs_server.matches.registry import MatchRegistry
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.storage.writer import Writer

STOP_SECONDS: Final = 2.0
"""The time in which the last results and the goodbye must reach the broker when the server stops."""


@dataclass(frozen=True, slots=True)
class FeedServices:
    """The parts of a server that the feed uses."""

    broker: Broker
    server_id: str
    version: str
    registry: MatchRegistry
    engine: Engine
    writer: Writer
    leaderboards: Leaderboards
    log: BoundLogger


class Feed:
    """The live feed of a server. Create it before the first match is open; `start` it and, at the end, `close` it."""

    def __init__(self, services: FeedServices, time: ReconnectTime | None = None) -> None:
        loop = asyncio.get_running_loop()
        self._services = services
        self._topics = FeedTopics(services.server_id)
        self._time = time or ReconnectTime(Random(), loop.time)  # noqa: S311 - jitter
        self._wake = asyncio.Event()
        self._stopping = asyncio.Event()
        self._is_connected = False
        self._cursor = FeedCursor(services.engine, services.writer, loop.call_later)
        self._refusals = RefusalLog(services.log, services.broker.user)
        self._events = LiveEvents(self._topics, loop.call_soon, services.log, QUEUE_BYTES)
        self._results = ResultFeed(
            services.engine, self._cursor, self._topics, self._wake, self._stopping, self._refusals, self._time
        )
        self._documents = self._retained_feed()
        self._task: asyncio.Task[None] | None = None
        services.registry.follow(self._follow)

    def start(self) -> None:
        """Begin to connect to the broker."""
        loop = asyncio.get_running_loop()
        report = LoggedConnection(self._services.log, self._services.broker.address, loop.call_later)
        self._task = asyncio.create_task(keep_connected(self._new_client, self._publish, report, self._time))

    async def close(self) -> None:
        """Publish the last results and the state `stopped`, if the broker is there, and end the connection."""
        self._stopping.set()
        self._wake.set()
        if self._task is not None:
            if self._is_connected:
                await asyncio.wait([self._task], timeout=STOP_SECONDS)
            while not self._task.done():  # once is not enough: libraries below can swallow a cancellation
                self._task.cancel()
                await asyncio.wait([self._task], timeout=0.1)
        self._cursor.store()

    def _retained_feed(self) -> RetainedFeed:
        registry = self._services.registry
        open_matches = OpenMatches((ladder.id for ladder in registry.offered_ladders), lambda: registry.runners)
        standings = LadderStandings(registry.ladders.values(), self._services.leaderboards)
        return RetainedFeed(self._topics, open_matches, standings)

    def _follow(self, match: str, entries: Sequence[LogEntry]) -> None:
        self._events.add(match, entries)
        if entries[-1].type == "match_over":
            self._wake.set()

    def _new_client(self) -> FeedClient:
        will = aiomqtt.Will(self._topics.state, self._state("lost"), qos=1, retain=True)
        return FeedClient(self._services.broker, f"evilpegs-{self._services.server_id}", will, self._refusals.refused)

    def _state(self, state: ServerState) -> bytes:
        return state_payload(state, self._services.server_id, self._services.version)

    async def _publish(self, client: FeedClient) -> None:
        """Publish until the server stops. Raises an exception group when the connection is lost."""
        self._is_connected = True
        try:
            await self._publish_state(client, "online")
            self._events.start(client)
            await self._run_until_stopped(client)
        finally:
            self._is_connected = False
            self._events.stop()

    async def _publish_state(self, client: FeedClient, state: ServerState) -> None:
        await deliver_document(client, self._topics.state, self._state(state))

    async def _run_until_stopped(self, client: FeedClient) -> None:
        async with asyncio.TaskGroup() as group:
            others = [group.create_task(task) for task in (client.wait_until_lost(), self._documents.run(client))]
            await self._results.run(client)
            await self._publish_state(client, "stopped")
            for task in others:
                task.cancel()
