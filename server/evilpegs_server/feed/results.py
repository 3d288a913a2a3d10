"""The results of matches in the feed, published at QoS 1.

A result is the event `match_over` of a match. The cursor of the feed is the id of an event in the event log; the broker
has acknowledged every result up to this event. Results after the cursor are read from the log, so no result is ever
missed. The cursor is stored at most once per second, so a server that is killed publishes the results of its last
second again; consumers must ignore results that they have already received.
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
"""The largest number of results that are published together before the feed waits for their acknowledgments."""
GATHER_SECONDS: Final = 0.02
"""The seconds in which results gather after the first, so that a busy server reads many of them with one query."""
STORE_SECONDS: Final = 1.0
"""The shortest time between two writes of the cursor, in seconds."""


class FeedCursor:
    """The position of the feed in the event log, which is stored in the database.

    The position is the id of an event: the broker has acknowledged every result up to this event. A new feed begins at
    the end of the log. Create the cursor before the first match is open, so that the position of a new feed is stored
    before any event. ``call_later`` calls a function after a number of seconds.
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
        """Note that the broker has acknowledged every result up to an event, and store this position soon.

        ``position`` is the id of the event.
        """
        self.position = position
        if not self._waits and position != self._stored:
            self._waits = True
            self._call_later(STORE_SECONDS, self._store_later)

    def store(self) -> None:
        """Submit the position, the id of an event, to the database writer now, unless it was submitted already.

        The writer stores the position later. If that fails, a call of `move` submits it again after a while.

        Raises:
            RuntimeError: the writer is closed.
        """
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
    """The loop that publishes the results of a server's matches, in the order in which they were stored.

    It reads them from the database of ``engine``, and stops after ``stopping`` is set. ``time`` decides the delays
    after a refused result, and ``refusals`` logs when the broker accepts results again.
    """

    engine: Engine
    cursor: FeedCursor
    topics: FeedTopics
    wake: asyncio.Event
    """An asyncio event that is set whenever a match may have ended, and when the server stops."""
    stopping: asyncio.Event
    refusals: RefusalLog
    time: ReconnectTime

    async def publish_next(self, connection: BrokerConnection) -> None:
        """Publish the first result after the cursor, if there is one; do not send it again if the broker refuses it.

        The cursor is the id of an event: the broker has acknowledged every result up to this event. Call this method on
        every connection before `run`, while no document is on its way. Some brokers cut the connection after a refusal.
        If another message were written at that moment, its write would fail, the refusal would never be read, and the
        log could not say why the connection was lost.

        Raises:
            TimeoutError: the publisher process does not answer.
        """
        await self._publish_page(connection, await self._load_page(1))

    async def run(self, connection: BrokerConnection) -> None:
        """Publish every result after the cursor, now and whenever a match ends, until the server stops.

        The cursor is the id of an event: the broker has acknowledged every result up to this event. A result that the
        broker refuses is sent again after growing delays, and later results wait until it is accepted.

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
        """Publish every stored result after the cursor; return early if one is refused while the server stops.

        The cursor is the id of an event: the broker has acknowledged every result up to this event.
        """
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
        """Publish the results that ``page`` read from the event log, and return True if none was refused.

        The cursor, the id of the event up to which the broker has acknowledged every result, moves to the last result
        before the first refused one. If no result was refused, it moves to the end of the page.
        """
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
        """Wait for the delay after a refused result, or until the server stops.

        ``failures`` is the number of refusals in a row before this one.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(self.time.delays.draw(failures, self.time.rng)):
                await self.stopping.wait()


def _properties(started: str) -> tuple[tuple[str, str], ...]:
    """Return the user properties of a result as pairs of a name and a value.

    ``started`` is the JSON text of `match_started`. The properties are the data of the match that `match_over` lacks.
    """
    event = orjson.loads(started)
    client = event["client"]
    return (
        ("player", event["player"]),
        ("client", f"{client['name']} {client['version']}"),
        ("ladder", event["ladder"]),
        ("rated", "true" if event["rated"] else "false"),
    )
