"""Server-sent events: what is played, as it is played, to everybody who asks over HTTP.

A stream of one match begins with its first event, or after the one that `Last-Event-ID` names, and ends with the
match. A stream of a ladder, or of all matches, begins with `place`, which has an id only, and the next event; with
`Last-Event-ID` it goes on after that event if it is among the newest `RESUMABLE`, and otherwise begins with `reset`.
Ids have the random id of the log before them, because those of a restored backup or of another server name other
events.

    id: LOG-NUMBER            the event's `seq` in a stream of a match, its number in the log elsewhere
    data: {"type": ...}       the event as its match records it

Everybody who follows the same topic gets the same bytes, which are made once.
"""

import asyncio
import contextlib
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Final

from sqlalchemy import Engine

from evilpegs_server.show.follower import FollowedEvent, Follower, load_events, load_match_events
from evilpegs_server.storage.reads import Reads

RESUMABLE: Final = 10_000
"""The newest events of the log after which a stream of a ladder or of all matches can go on."""
HEARTBEAT_SECONDS: Final = 15.0
"""Without an event, a comment is sent this often, so that proxies keep the connection open."""
MAX_WAITING_BYTES: Final = 1 << 20
"""A reader for whom more bytes wait is cut off; it may come back with `Last-Event-ID`."""
MAX_STREAMS: Final = 2_000

ALL: Final = ""
"""The topic of all matches; other topics are ids of matches and of ladders."""
_HEARTBEAT: Final = b":\n\n"


class _Reader:
    def __init__(self) -> None:
        self.chunks: deque[bytes] = deque()
        self.bytes = 0
        self.woken = asyncio.Event()
        self.is_over = False
        self.is_slow = False

    def add(self, chunk: bytes) -> None:
        self.bytes += len(chunk)
        self.is_slow = self.is_slow or self.bytes > MAX_WAITING_BYTES
        self.chunks.append(chunk)
        self.woken.set()

    def end(self) -> None:
        self.is_over = True
        self.woken.set()

    def take(self) -> bytes:
        chunk = b"".join(self.chunks)
        self.chunks.clear()
        self.bytes = 0
        self.woken.clear()
        return chunk


class Streams:
    """The open streams, by topic."""

    def __init__(self, engine: Engine, follower: Follower, reads: Reads, log_id: str) -> None:
        self._engine = engine
        self._follower = follower
        self._reads = reads
        self._log_id = log_id
        self._readers: defaultdict[str, set[_Reader]] = defaultdict(set)
        self.open = 0
        self._closed = False
        follower.listen(self._publish, lambda: self.open > 0)

    @property
    def is_full(self) -> bool:
        return self._closed or self.open >= MAX_STREAMS

    def count(self, *topics: str) -> int:
        return sum(len(self._readers.get(topic, ())) for topic in topics)

    def close(self) -> None:
        self._closed = True
        for readers in self._readers.values():
            for reader in readers:
                reader.end()

    def parse_id(self, text: str) -> int | None:
        """Return the number in a `Last-Event-ID`; None if it is malformed or of another log."""
        log_id, _, number = text.partition("-")
        return int(number) if log_id == self._log_id and number.isdecimal() and len(number) < 16 else None

    async def last_seq(self, match: str) -> tuple[int, bool] | None:
        """Return the `seq` of the last event that was sent, and whether the match is over; None if it is unknown."""
        events = await self._reads.run(load_match_events, self._engine, match, self._follower.position)
        return (events[-1].seq, events[-1].type == "match_over") if events else None

    async def match(self, match: str, after: int = 0) -> AsyncIterator[bytes]:
        """Stream the events of a match whose `seq` is above ``after``."""
        with self._reading(match) as (reader, last):
            events = await self._reads.run(load_match_events, self._engine, match, last)
            if events and events[-1].type == "match_over":
                reader.end()
            async for chunk in _stream(reader, [self._chunk(each.seq, each) for each in events if each.seq > after]):
                yield chunk

    async def new_events(self, topic: str) -> AsyncIterator[bytes]:
        """Stream the next events of a ladder or of `ALL`."""
        with self._reading(topic) as (reader, last):
            async for chunk in _stream(reader, [self._place("place", last)]):
                yield chunk

    async def events_after(self, topic: str, event: int | None) -> AsyncIterator[bytes]:
        """Stream the events of a ladder or of `ALL` after an event, or `reset` and the next ones if that is too old."""
        with self._reading(topic) as (reader, last):
            missed = [self._place("reset", last)]
            if event is not None and last - RESUMABLE <= event <= last:
                events = await self._reads.run(load_events, self._engine, event, last, RESUMABLE)
                missed = [self._chunk(each.id, each) for each in events if topic in {ALL, each.ladder}]
            async for chunk in _stream(reader, missed):
                yield chunk

    @contextlib.contextmanager
    def _reading(self, topic: str) -> Iterator[tuple[_Reader, int]]:
        # the reader gets all events above the id that is returned; those below are in the log
        reader = _Reader()
        readers = self._readers[topic]
        readers.add(reader)
        self.open += 1
        if self._closed:
            reader.end()
        try:
            yield reader, self._follower.position
        finally:
            self.open -= 1
            readers.discard(reader)
            if not readers:
                self._readers.pop(topic, None)

    def _publish(self, events: Sequence[FollowedEvent]) -> None:
        if not self._readers:
            return
        for event in events:
            if of_match := self._readers.get(event.match):
                _add(of_match, self._chunk(event.seq, event))
                if event.type == "match_over":
                    for reader in of_match:
                        reader.end()
            if others := self._readers.get(event.ladder, set()) | self._readers.get(ALL, set()):
                _add(others, self._chunk(event.id, event))

    def _place(self, kind: str, event: int) -> bytes:
        # with an id: a client that loses the connection before the first event misses none
        return f"event: {kind}\nid: {self._log_id}-{event}\ndata: {{}}\n\n".encode()

    def _chunk(self, number: int, event: FollowedEvent) -> bytes:
        return f"id: {self._log_id}-{number}\ndata: {event.text}\n\n".encode()


def _add(readers: Iterable[_Reader], chunk: bytes) -> None:
    for reader in readers:
        reader.add(chunk)


async def _stream(reader: _Reader, first: Iterable[bytes]) -> AsyncIterator[bytes]:
    # something at once, so that the client knows that it is connected
    yield b"".join(first) or _HEARTBEAT
    while not reader.is_slow:
        if reader.chunks:
            yield reader.take()
        elif reader.is_over:
            return
        else:
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await reader.woken.wait()
            except TimeoutError:
                yield _HEARTBEAT
