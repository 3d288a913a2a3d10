"""Results of matches, at QoS 1: read from the event log after a stored cursor, so that none is ever missed.

The cursor is the id of an event. Every result up to it was acknowledged by the broker. It is stored at most once per
second, so a server that is killed publishes the results of its last second again; consumers drop doubles.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import orjson
from sqlalchemy import Engine

from evilpegs_protocol.feed_topics import FeedTopics
from evilpegs_server.feed.broker_connection import BrokerConnection
from evilpegs_server.feed.publisher_messages import Delivery
from evilpegs_server.feed.reconnect_time import ReconnectTime
from evilpegs_server.feed.refusals import RefusalLog
from evilpegs_server.storage import writes
from evilpegs_server.storage.archive import (
    ResultPage,
    StoredResult,
    load_cursor,
    load_last_event_id,
    load_results_after,
)
from evilpegs_server.storage.writer import Writer

READER: Final = "mqtt"
"""The name of the feed's cursor in the database."""
PAGE: Final = 100
"""Results that are published before their acknowledgments are awaited."""
GATHER_SECONDS: Final = 0.02
"""The time in which the results of a busy server gather, because each reading of the log costs a query."""
STORE_SECONDS: Final = 1.0
"""The least time between two writes of the cursor."""


class FeedCursor:
    """The position of the feed in the event log. A new feed begins at the end of the log.

    Create it before the first match is open: then the position of a new feed is stored before any event, because the
    writer stores what is submitted first.
    """

    def __init__(
        self, engine: Engine, writer: Writer, call_later: Callable[[float, Callable[[], None]], object]
    ) -> None:
        stored = load_cursor(engine, READER)
        self.position = load_last_event_id(engine) if stored is None else stored
        self._writer = writer
        self._call_later = call_later
        self._stored = stored
        self._waits = False
        self.store()

    def move(self, position: int) -> None:
        """Note that every result up to the event ``position`` was acknowledged, and store that soon."""
        self.position = position
        if not self._waits and position != self._stored:
            self._waits = True
            self._call_later(STORE_SECONDS, self._store_later)

    def store(self) -> None:
        """Store the position now, unless it is stored. A failure is repaired by the next move."""
        if self.position != self._stored:
            self._stored = self.position
            self._writer.submit([writes.move_cursor(READER, self.position)], self._note_failure)

    def _store_later(self) -> None:
        self._waits = False
        try:
            self.store()
        except RuntimeError:
            self._stored = None  # the writer is closed

    def _note_failure(self, error: Exception | None) -> None:
        if error is not None:
            self._stored = None


@dataclass(frozen=True, slots=True)
class ResultFeed:
    """The results of a server's matches, published in the order in which they were stored."""

    engine: Engine
    cursor: FeedCursor
    topics: FeedTopics
    wake: asyncio.Event
    """Set whenever a match may have ended, and when the server stops."""
    stopping: asyncio.Event
    refusals: RefusalLog
    time: ReconnectTime

    async def publish_next(self, connection: BrokerConnection) -> None:
        """Publish the first result after the cursor, if there is one and the broker accepts it.

        Every connection begins with this, while nothing else is on its way. Some brokers cut the connection after a
        refusal. A message that is written at that moment fails, and then the refusal would never be read and the log
        could not say why the connection was lost.

        Raises:
            TimeoutError: the publisher process does not answer.
        """
        await self._publish_page(connection, await self._load_page(1))

    async def run(self, connection: BrokerConnection) -> None:
        """Publish every result after the cursor, now and whenever a match ends, until the server stops.

        A result that the broker refuses is sent again, ever more seldom; those after it wait.

        Raises:
            TimeoutError: the publisher process does not answer.
        """
        while True:
            is_last = self.stopping.is_set()
            self.wake.clear()
            await self._catch_up(connection)
            if is_last:
                return
            await self.wake.wait()
            await asyncio.sleep(GATHER_SECONDS)

    async def _catch_up(self, connection: BrokerConnection) -> None:
        """Publish every result that is stored after the cursor."""
        failures = 0
        while True:
            page = await self._load_page(1 if failures else PAGE)
            is_refused = not await self._publish_page(connection, page)
            if is_refused:
                if self.stopping.is_set():
                    return
                await self._wait_after(failures)
                failures += 1
            elif page.is_last:
                return
            else:
                failures = 0

    async def _load_page(self, limit: int) -> ResultPage:
        return await asyncio.to_thread(load_results_after, self.engine, self.cursor.position, limit)

    async def _publish_page(self, connection: BrokerConnection, page: ResultPage) -> bool:
        """Publish a page and move the cursor up to the first result that was refused. Return True if none was."""
        accepted = await connection.deliver([self._delivery(result) for result in page.results])
        for result, is_accepted in zip(page.results, accepted, strict=True):
            if not is_accepted:
                return False
            self.refusals.accepted(self.topics.result(result.match))
            self.cursor.move(result.event)
        self.cursor.move(page.last_event)
        return True

    def _delivery(self, result: StoredResult) -> Delivery:
        return Delivery(self.topics.result(result.match), result.over, properties=_properties(result.started))

    async def _wait_after(self, failures: int) -> None:
        """Wait before a refused result is sent again, or until the server stops."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.time.delays.draw(failures, self.time.rng)):
                await self.stopping.wait()


def _properties(started: str) -> tuple[tuple[str, str], ...]:
    """Return the user properties of a result: what `match_over` does not say about its match."""
    event = orjson.loads(started)
    client = event["client"]
    return (
        ("player", event["player"]),
        ("client", f"{client['name']} {client['version']}"),
        ("ladder", event["ladder"]),
        ("rated", "true" if event["rated"] else "false"),
    )
