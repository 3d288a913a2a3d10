"""Server-sent events: what is played, as it is played, to everybody who asks over HTTP.

A stream of one match begins with its first event, or after the one that `Last-Event-ID` names, and ends with the
match. A stream of a ladder, or of all matches, begins with `place`, which has an id only, and the next event; with
`Last-Event-ID` it goes on after that event if it is among the newest `RESUMABLE`, and otherwise begins with `reset`.
Ids have the random id of the log before them, because those of a restored backup or of another server name other
events. They are no numbers of the log, whose gaps would count the guesses of a sealed round.

    id: LOG-NUMBER            the event's `seq`, in a stream of a match
    id: LOG-MATCH-NUMBER      its match and `seq` elsewhere
    data: {"type": ...}       the event as its match records it

The matches of a sealed round are in no stream. When it is over, `round_closed` names it, without an id.

Everybody who follows the same topic gets the same bytes, which are made once.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from evilpegs_server.show.follower import (
    FollowedEvent,
    Follower,
    find_event,
    has_match,
    last_place,
    load_events,
    load_match_events,
)
from evilpegs_server.storage.queries import Reader
from evilpegs_server.storage.reads import Reads

_T = TypeVar("_T")

RESUMABLE: Final = 10_000
"""The newest events of the log after which a stream of a ladder or of all matches can go on."""
HEARTBEAT: Final = b":\n\n"
"""A comment that says nothing, sent so that proxies keep the connection open."""

ALL: Final = ""
"""The topic of all matches; other topics are ids of matches and of ladders."""

# so many streams read the log at a time; the others wait for them, not in the queue of all requests
MAX_READING: Final = 8


class Stream:
    """What one client follows; whoever opens it closes it."""

    def __init__(self, close: Callable[["Stream"], None]) -> None:
        self._close = close
        self._waiting: list[bytes] = []
        self.write: Callable[[bytes], None] = self._waiting.append
        self.over = asyncio.Event()
        """Set when nothing can follow."""

    @property
    def is_empty(self) -> bool:
        return not self._waiting

    def take(self) -> bytes:
        chunk = b"".join(self._waiting)
        self._waiting.clear()
        return chunk

    def begin(self, write: Callable[[bytes], None]) -> None:
        """Call ``write`` with the events that were added, and from now on with each as it happens."""
        if self._waiting:
            write(self.take())
        self.write = write

    def add_past(self, chunks: Iterable[bytes]) -> None:
        self._waiting[:0] = chunks

    def close(self) -> None:
        self._close(self)


class Streams:
    """The open streams by topic; an event is written to each connection at once, and no task wakes up for it."""

    def __init__(
        self, engine: Reader, follower: Follower, reads: Reads, log_id: str, most: int, heartbeat_seconds: float
    ) -> None:
        self._engine = engine
        self._follower = follower
        self._reads = reads
        self._log_id = log_id
        self._most, self._heartbeat_seconds = most, heartbeat_seconds
        self._streams: defaultdict[str, set[Stream]] = defaultdict(set)
        self.open = 0
        self._reading = asyncio.Semaphore(MAX_READING)
        self._beat: asyncio.TimerHandle | None = None
        self._closed = False
        follower.listen(self._publish, lambda: self.open > 0)

    @property
    def is_full(self) -> bool:
        return self._closed or self.open >= self._most

    def count(self, *topics: str) -> int:
        return sum(len(self._streams.get(topic, ())) for topic in topics)

    def close(self) -> None:
        self._closed = True
        for stream in self._all_streams():
            stream.over.set()

    def announce(self, over: str) -> None:
        """Say that a round is over, whose results and matches can be read now."""
        chunk = f'event: round_closed\ndata: {{"round":"{over}"}}\n\n'.encode()
        for topic in (over, ALL):
            for stream in self._streams.get(topic, ()):
                stream.write(chunk)

    async def open_match(self, match: str, last_id: str | None = None) -> Stream | None:
        """Follow the events of a match after `Last-Event-ID`; None if the match is unknown."""
        place = self._place_in(last_id)
        after = int(place) if place is not None and place.isdecimal() and len(place) < 10 else 0
        stream, last = self._open(match)
        events = await self._read(stream, load_match_events, match, last)
        # a match that begins is in lists before its player, and then this stream, has its first event
        if not events and not await self._read(stream, has_match, match):
            stream.close()
            return None
        if events and events[-1].type == "match_over":
            stream.over.set()
        stream.add_past(self._chunk(each.seq, each) for each in events if each.seq > after)
        return stream

    async def open_topic(self, topic: str, last_id: str | None = None) -> Stream:
        """Follow the events of a ladder or of `ALL` after `Last-Event-ID`, or `place` or `reset` and the next ones."""
        stream, last = self._open(topic)
        place = self._place_in(last_id)
        event = None if place is None else await self._read(stream, find_event, place)
        if event is not None and event <= last:
            # counted in events that others may see: the edge of a range of ids would count those of a sealed round
            events = await self._read(stream, load_events, event, last, RESUMABLE + 1)
            if len(events) <= RESUMABLE:
                stream.add_past(self._chunk(_place_of(each), each) for each in events if topic in {ALL, each.ladder})
                return stream
        # with an id: a client that loses the connection before the first event misses none
        kind, place = "place" if last_id is None else "reset", await self._read(stream, last_place, last)
        stream.add_past([f"event: {kind}\nid: {self._log_id}-{place}\ndata: {{}}\n\n".encode()])
        return stream

    def _place_in(self, last_id: str | None) -> str | None:
        log_id, _, place = (last_id or "").partition("-")
        return place if log_id == self._log_id else None

    def _open(self, topic: str) -> tuple[Stream, int]:
        # the stream gets all events above the id that is returned; those below are in the log
        stream = Stream(partial(self._forget, topic))
        self._streams[topic].add(stream)
        self.open += 1
        if self._beat is None:
            self._beat = asyncio.get_running_loop().call_later(self._heartbeat_seconds, self._write_heartbeat)
        if self._closed:
            stream.over.set()
        return stream, self._follower.position

    def _forget(self, topic: str, stream: Stream) -> None:
        streams = self._streams.get(topic, set())
        if stream in streams:
            self.open -= 1
            streams.remove(stream)
            if not streams:
                del self._streams[topic]

    async def _read(self, stream: Stream, load: Callable[..., _T], *args: Any) -> _T:
        try:
            async with self._reading:
                return await self._reads.run(load, self._engine, *args)
        except BaseException:
            stream.close()
            raise

    def _all_streams(self) -> list[Stream]:
        return [stream for streams in self._streams.values() for stream in streams]

    def _write_heartbeat(self) -> None:
        streams = self._all_streams()
        for stream in streams:
            stream.write(HEARTBEAT)
        loop = asyncio.get_running_loop()
        self._beat = loop.call_later(self._heartbeat_seconds, self._write_heartbeat) if streams else None

    def _publish(self, events: Sequence[FollowedEvent]) -> None:
        chunks: defaultdict[str, list[bytes]] = defaultdict(list)
        for event in events:
            if event.match in self._streams:
                chunks[event.match].append(self._chunk(event.seq, event))
            for topic in (event.ladder, ALL):
                if topic in self._streams:
                    chunks[topic].append(self._chunk(_place_of(event), event))
        for topic, of_topic in chunks.items():
            chunk = b"".join(of_topic)
            for stream in self._streams[topic]:
                stream.write(chunk)
        for event in events:
            if event.type == "match_over":
                for stream in self._streams.get(event.match, ()):
                    stream.over.set()

    def _chunk(self, place: str | int, event: FollowedEvent) -> bytes:
        return f"id: {self._log_id}-{place}\ndata: {event.text}\n\n".encode()


def _place_of(event: FollowedEvent) -> str:
    return f"{event.match}-{event.seq}"
