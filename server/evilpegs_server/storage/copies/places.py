"""The places of a mirror: the last event that it has of each node, kept in the copy itself."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

import orjson
from sqlalchemy import Connection, text

COPIED: Final = "copied"
"""The node of events that were copied to PostgreSQL; their numbers are their ids."""

# `id` is that of the event in the copy. The row without a node has the highest id of a copy that was made again, and
# the time up to which players were copied.
_MIRRORED: Final = text("""
    CREATE TABLE IF NOT EXISTS mirrored (
        node TEXT PRIMARY KEY, n INTEGER NOT NULL, id INTEGER NOT NULL, hash TEXT NOT NULL)
""")
_READ: Final = text("SELECT node, n, id, hash FROM mirrored")
_PUT: Final = text("INSERT OR REPLACE INTO mirrored VALUES (:node, :n, :id, :hash)")
_CLEAR: Final = text("DELETE FROM mirrored")
_NewEvents = dict[str, deque[Any]]


class _Place(NamedTuple):
    n: int
    id: int
    hash: str


class OtherLogError(Exception):
    """The database is not, or no longer, the one that was copied; the message says why."""


class Places:
    """The places as they were read last; what `move` and `move_players` say counts from `store` on."""

    def __init__(self) -> None:
        self._places = {"": _Place(0, 0, "")}
        self._moved: dict[str, _Place] = {}
        self._first = 0  # the first id that nodes may give
        self.written = 0
        """The events of the database."""

    @property
    def copied(self) -> int:
        """The events in the copy."""
        return sum(place.n for node, place in self._places.items() if node)

    @property
    def last(self) -> int:
        """The highest id in the copy."""
        return max(place.id for place in self._places.values())

    @property
    def gone(self) -> int:
        """The highest id before the copy was made again."""
        return self._places[""].id

    @property
    def created(self) -> int:
        """The time up to which players were copied, in Unix milliseconds."""
        return self._places[""].n

    def read(self, target: Connection) -> None:
        target.execute(_MIRRORED)
        self._places = {"": _Place(0, 0, "")} | {node: _Place(*row) for node, *row in target.execute(_READ)}
        self._moved = {}

    def begin_again(self, target: Connection) -> None:
        target.execute(_CLEAR)
        self._moved = {"": _Place(0, self.last, "")}
        self.store(target)

    def to_json(self) -> str:
        """Return the number of the last event of each node."""
        return orjson.dumps({node: place.n for node, place in self._places.items() if node}).decode()

    def check(self, rows: Sequence[Any], limit: int) -> tuple[_NewEvents, set[str]]:
        """Return what is new of each node, and the nodes that have more than ``limit``. Raises OtherLogError."""
        new, cut, self.written = {}, set(), 0
        for node, group in groupby(rows, key=lambda row: row.node):
            events = list(group)
            written = events[0].written
            self.written += written
            if node == COPIED:
                self._first = written + 1
            if len(events) == limit:
                cut.add(node)
            known = self._places.get(node)
            if known is not None and events[0].n == known.n:
                if events.pop(0).hash != known.hash:
                    raise OtherLogError(f"event {known.n} of the node {node} is another one")
            elif known is not None and written < known.n:  # else it was forgotten
                raise OtherLogError(f"the events of the node {node} end with {written}")
            new[node] = deque(event for event in events if event.n is not None)
        if missing := self._places.keys() - new.keys() - {""}:
            raise OtherLogError(f"there is no node {min(missing)}")
        # what was copied comes first, because its ids are the lowest
        return ({COPIED: new[COPIED]} if COPIED in cut else new), cut

    def move(self, event: Any, last: int) -> int:
        """Go on to an event and return its id, which is above ``last``."""
        number: int = max(last + 1, event.n, 0 if event.node == COPIED else self._first)
        self._moved[event.node] = _Place(event.n, number, event.hash)
        return number

    def move_players(self, created: int) -> None:
        self._moved[""] = self._places[""]._replace(n=created)

    def store(self, target: Connection) -> None:
        if self._moved:
            target.execute(_PUT, [{"node": node, **place._asdict()} for node, place in self._moved.items()])
        self._places |= self._moved
        self._moved = {}


def in_order(new: Mapping[str, deque[Any]], cut: set[str], last: dict[int, int]) -> Iterator[Any]:
    """Yield events by time where the order is free, until all that are left wait for events that were not read yet."""
    while waiting := [events for events in new.values() if events]:
        ready = [events for events in waiting if events[0].seq <= last.get(events[0].match, 0) + 1]
        if not ready:
            if any(node in cut and not events for node, events in new.items()):
                return
            ready = waiting  # the database has lost an event
        row = min(ready, key=lambda events: events[0].at).popleft()
        last[row.match] = row.seq
        yield row
