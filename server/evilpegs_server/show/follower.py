"""The follower of the event log, which hands new events to its listeners in the order in which they were stored.

Nobody may see a feedback before its player, so the follower reads no further than the server has sent. Without a
server, on a backup for example, it reads what is stored.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import orjson
from structlog.stdlib import BoundLogger

from evilpegs_server.sealing import SHOWN
from evilpegs_server.storage.errors import first_line
from evilpegs_server.storage.log.archive import load_last_event_id
from evilpegs_server.storage.queries import Reader, read, read_value
from evilpegs_server.timing import Timing

MAX_EVENTS: Final = 100
"""The most events that are read, and shown to all who follow them, at a time: that takes two milliseconds."""
FEW_EVENTS: Final = 50
"""Read at once, in a tenth of a millisecond: to hand them over from a thread would take longer than the query."""
CLOSE_SECONDS: Final = 0.5
NO_PLACE: Final = "0"
"""Before all events."""


class FollowedEvent(NamedTuple):
    """An event of the log with its ``id``, which grows in the order of storing."""

    id: int
    match: str
    ladder: str
    seq: int
    type: str
    text: str


Listener = Callable[[Sequence[FollowedEvent]], None]

# in one row, because a thread that reads gives the interpreter lock away at each row, and waits to have it again
_IN_ONE_ROW: Final = f"""
    SELECT json_group_array(json_array(id, match, ladder, seq, type, json)) FROM (
        SELECT e.id, m.id AS match, m.ladder, e.seq, e.type, e.json
        FROM events AS e JOIN matches AS m ON m.number = e.match
        WHERE {SHOWN} AND {{}}
    )
"""  # noqa: S608 - of constants
_AFTER: Final = _IN_ONE_ROW.format("e.id > :after AND e.id <= :last ORDER BY e.id LIMIT :limit")
_OF_MATCH: Final = _IN_ONE_ROW.format("m.id = :match AND e.id <= :last ORDER BY e.seq")
_EVENT_ID: Final = f"""
    SELECT e.id FROM matches AS m JOIN events AS e ON e.match = m.number
    WHERE m.id = :match AND e.seq = :seq AND {SHOWN}
"""  # noqa: S608
_LAST_PLACE: Final = f"""
    SELECT m.id || '-' || e.seq FROM events AS e JOIN matches AS m ON m.number = e.match
    WHERE e.id <= :last AND {SHOWN} ORDER BY e.id DESC LIMIT 1
"""  # noqa: S608


def load_events(engine: Reader, after: int, last: int, limit: int = MAX_EVENTS) -> list[FollowedEvent]:
    """Return at most ``limit`` events with an id above ``after`` and up to ``last``, that others may see."""
    return _read_events(engine, _AFTER, after=after, last=last, limit=limit)


async def read_events(engine: Reader, after: int, last: int, limit: int) -> list[FollowedEvent]:
    """Do the same without making the event loop late."""
    if last - after <= FEW_EVENTS:
        return load_events(engine, after, last, limit)
    return await asyncio.to_thread(load_events, engine, after, last, limit)


def load_match_events(engine: Reader, match: str, last: int) -> list[FollowedEvent]:
    """Return the events of a match with an id up to ``last``; none if others may not see the match."""
    return _read_events(engine, _OF_MATCH, match=match, last=last)


def has_match(engine: Reader, match: str) -> bool:
    return bool(read(engine, f"SELECT 1 FROM matches AS m WHERE id = :match AND {SHOWN}", match=match))  # noqa: S608


def find_event(engine: Reader, place: str) -> int | None:
    """Return the id of the event that `last_place` named; None if there is none that others may see."""
    match, _, seq = place.partition("-")
    if place == NO_PLACE:
        return 0
    if not (seq.isdecimal() and len(seq) < 10):
        return None
    found: int | None = read_value(engine, _EVENT_ID, match=match, seq=int(seq))
    return found


def last_place(engine: Reader, last: int) -> str:
    """Return the match and the number in its record of the last event, up to ``last``, that others may see."""
    return read_value(engine, _LAST_PLACE, last=last) or NO_PLACE


def _read_events(engine: Reader, query: str, **parameters: object) -> list[FollowedEvent]:
    with engine.connect() as connection:
        # for each new event: as a text that the driver gets as it is, because a compiled one takes a seventh longer
        rows = connection.exec_driver_sql(query, parameters).scalar_one()
    return [FollowedEvent(*row) for row in orjson.loads(rows)]


class Follower:
    """The follower, without a server if ``sent`` is None; its listeners must neither wait nor raise.

    Without a server, ``look`` is called on a thread; it returns the id of the last event, and of the last that is gone.
    """

    def __init__(
        self,
        engine: Reader,
        log: BoundLogger,
        sent: int | None,
        look: Callable[[], tuple[int, int]] | None = None,
        timing: Timing = Timing(),
    ) -> None:
        self._engine, self._log, self._timing = engine, log, timing
        self._has_server = sent is not None
        self._look = look or (lambda: (load_last_event_id(engine), 0))
        self._gone = 0
        # what was stored before was sent, or is sent when its player resumes
        self.position = self.sent = load_last_event_id(engine) if sent is None else sent
        """The ids of the last event that was read, and of the last that was sent to its player."""
        self._listeners: list[tuple[Listener, Callable[[], bool]]] = []
        self._wakers: list[Callable[[], None]] = []
        self._woken = asyncio.Event()
        self._following: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._following = asyncio.create_task(self._follow())

    async def close(self) -> None:
        if self._following is not None:
            self._following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._following
            with contextlib.suppress(Exception):  # the last events, if they can be read
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self._catch_up()

    def listen(self, listener: Listener, is_listening: Callable[[], bool] = lambda: True) -> None:
        """Call ``listener`` with the events above `position`, a batch at a time; while nobody listens, none is read."""
        self._listeners.append((listener, is_listening))

    def wake(self, waker: Callable[[], None]) -> None:
        """Call ``waker`` whenever there may be new events."""
        self._wakers.append(waker)

    def note_sent(self, last: int) -> None:
        """Note that every event with an id up to ``last`` was sent to its player."""
        if last > self.sent:
            self.sent = last
            self._woken.set()
            for waker in self._wakers:
                waker()

    async def _follow(self) -> None:
        is_failing = False
        while True:
            try:
                await self._catch_up()
                await self._wait()
                is_failing = False
            except Exception as error:  # noqa: BLE001 - the disk may be better a second later
                if not is_failing:
                    self._log.warning("cannot follow the log yet", error=type(error).__name__, why=first_line(error))
                is_failing = True
                await asyncio.sleep(self._timing.log_retry_seconds)

    async def _wait(self) -> None:
        if self._has_server:
            await self._woken.wait()
            self._woken.clear()
        else:
            await asyncio.sleep(self._timing.log_look_seconds)
            last, gone = await asyncio.to_thread(self._look)
            if self._gone < gone and self.position <= gone:
                self.position = last  # all events were followed before, with other ids
            self._gone = gone
            self.note_sent(last)

    async def _catch_up(self) -> None:
        while self.position < self.sent:
            if not any(is_listening() for _, is_listening in self._listeners):
                self.position = self.sent
                return
            last = self.sent
            events = await read_events(self._engine, self.position, last, MAX_EVENTS)
            self.position = events[-1].id if len(events) == MAX_EVENTS else last
            for listener, _ in self._listeners:
                listener(events)
