"""The results of matches in the feed, the events `match_over`, published at QoS 1.

The cursor of the feed is the id of the event up to which the broker has acknowledged every result. Results after it are
read from the event log, so none is missed. It is stored at most once per second, so a killed server publishes the
results of its last second again; consumers must ignore results that they have received.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import orjson
from sqlalchemy import Engine

from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.feed.broker_connection import BrokerConnection
from evilpegs_server.feed.broker_log import RefusalLog
from evilpegs_server.feed.publisher_messages import BACKOFF, Delivery
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
PAGE: Final = 100
"""The most results that are published before the feed waits for acknowledgments."""
# results gather after the first, so that a busy server reads many of them with one query
GATHER_SECONDS: Final = 0.02
STORE_SECONDS: Final = 1.0


class FeedCursor:
    """The stored cursor of the feed; a new feed starts at the end of the log.

    Create it before the first match is open, so that it is stored before any event.
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
        """Move the cursor to an event and store it soon."""
        self.position = position
        if not self._waits and position != self._stored:
            self._waits = True
            self._call_later(STORE_SECONDS, self._store_later)

    def store(self) -> None:
        """Submit the cursor to the writer now unless it is stored; raises RuntimeError if the writer is closed."""
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
    """The loop that publishes results in the order in which they were stored."""

    engine: Engine
    cursor: FeedCursor
    topics: FeedTopics
    wake: asyncio.Event
    """Set when a match may have ended, and when the server stops."""
    stopping: asyncio.Event
    refusals: RefusalLog
    rng: Random

    async def publish_next(self, connection: BrokerConnection) -> None:
        """Publish one result, if one waits, and do not repeat it if it is refused; raises TimeoutError.

        Call it on each connection before `run`, while no document is on its way. Some brokers cut the connection after
        a refusal. If another message were written at that moment, its write would fail, the refusal would never be
        read, and the log could not say why the connection was lost.
        """
        await self._publish_page(connection, await self._load_page(1))

    async def run(self, connection: BrokerConnection) -> None:
        """Publish results until the server stops, a refused one again before later ones; raises TimeoutError."""
        while True:
            is_last = self.stopping.is_set()
            self.wake.clear()
            await self._catch_up(connection)
            if is_last:
                return
            await self.wake.wait()
            await asyncio.sleep(GATHER_SECONDS)

    async def _catch_up(self, connection: BrokerConnection) -> None:
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
        accepted = await connection.deliver([self._delivery(result) for result in page.results])
        published = page.results[: accepted.index(False) if False in accepted else None]
        await self._publish_newest(connection, published)
        for result in published:
            self.refusals.accepted(self.topics.result(result.match))
            self.cursor.move(result.event)
        if len(published) < len(page.results):
            return False
        self.cursor.move(page.last_event)
        return True

    async def _publish_newest(self, connection: BrokerConnection, results: Sequence[StoredResult]) -> None:
        # in messages of their own, which may be refused without holding up a result
        newest = {}
        for result in results:
            match, over = _about(result.started), orjson.loads(result.over)
            shown = {name: over[name] for name in ("match", "at", "outcomes", "guesses", "elapsed_ms")}
            newest[self.topics.ladder_result(match["ladder"])] = orjson.dumps(match | shown)
        await connection.deliver([Delivery(topic, text, is_retained=True) for topic, text in newest.items()])

    def _delivery(self, result: StoredResult) -> Delivery:
        about = _about(result.started)
        about["rated"] = str(about["rated"]).lower()
        return Delivery(self.topics.result(result.match), result.over, properties=tuple(about.items()))

    async def _wait_after(self, failures: int) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(BACKOFF.delay(failures, self.rng)):
                await self.stopping.wait()


def _about(started: str) -> dict[str, Any]:
    # the data of the match that `match_over` lacks
    event = orjson.loads(started)
    client = f"{event['client']['name']} {event['client']['version']}"
    return {"player": event["player"], "client": client, "ladder": event["ladder"], "rated": event["rated"]}
