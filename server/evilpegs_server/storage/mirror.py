"""A copy of a database in an SQLite file, which follows what is written: to PostgreSQL, or to another file.

Nodes commit independently of each other, and each numbers its events in the order of its commits, so the place of the
copy is a number per node. It lies in the copy, in the table `mirrored`, and is read and moved in the transaction that
stores the events, so several processes may look in turns. Each look reads one snapshot of the database. An event is
stored after all earlier ones of its match, whichever node wrote them. Its id is its number if that is free: what was
copied to PostgreSQL gets its ids back.

A restored older dump lacks events that the copy has, or has others in their places. Then the copy is made again from
the first event on, with ids above all that it had.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import groupby
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, Final, NamedTuple

import orjson
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import NullPool
from structlog.stdlib import BoundLogger

from evilpegs_protocol.files import replacement
from evilpegs_server.storage import mirrored_rows as rows_of
from evilpegs_server.storage.acts import empty_side_file
from evilpegs_server.storage.backup import revision_of
from evilpegs_server.storage.database import check_exists, open_database
from evilpegs_server.storage.errors import DatabaseUnusableError, explain
from evilpegs_server.storage.location import connect, database_file, file_url, is_postgres
from evilpegs_server.storage.postgres.database import open_postgres
from evilpegs_server.storage.queries import changing, closing_engine
from evilpegs_server.storage.schema import revisions

EVENTS: Final = 5_000
"""Of each node, in one look."""
FULL_SECONDS: Final = 1.0
"""Between two looks at what changes without an event."""
COPIED: Final = "copied"
"""The node of events that were copied to PostgreSQL; their numbers are their ids."""
_FILE: Final = "file"  # the only node of an SQLite database

# all nodes, with their events from the place on: the last that was copied, and what is new
_NEW_ON_POSTGRES: Final = """
    SELECT k.name AS node, k.written, e.n, e.match, e.seq, e.at, e.type, e.json, e.hash FROM nodes AS k
    LEFT JOIN LATERAL (
        SELECT * FROM events WHERE node = k.name AND n >= coalesce(CAST(CAST(? AS json) ->> k.name AS bigint), 0)
        ORDER BY n LIMIT ?) AS e ON true
    ORDER BY k.name, e.n
"""
_NEW_IN_FILE: Final = f"""
    SELECT '{_FILE}' AS node, max(l.deleted, coalesce((SELECT max(id) FROM events), 0)) AS written,
        e.id AS n, e.match, e.seq, e.at, e.type, e.json, e.hash
    FROM log AS l LEFT JOIN events AS e ON e.id >= coalesce(json_extract(?, '$.{_FILE}'), 0) ORDER BY e.id LIMIT ?
"""  # noqa: S608 - of constants
_LOG_ON_POSTGRES: Final = "SELECT id, deleted, key FROM log"
_LOG_IN_FILE: Final = "SELECT id, deleted, NULL FROM log"
# `id` is that of the event in the copy. The row without a node has the highest id of a copy that was made again, and
# the time up to which players were copied.
_MIRRORED: Final = """
    CREATE TABLE IF NOT EXISTS mirrored (
        node TEXT PRIMARY KEY, n INTEGER NOT NULL, id INTEGER NOT NULL, hash TEXT NOT NULL)
"""
_STATE: Final = """
    SELECT (SELECT count(*) FROM sqlite_master WHERE name = 'mirrored'), (SELECT coalesce(max(id), 0) FROM events),
        (SELECT count(*) FROM (SELECT 1 FROM players LIMIT 1))
"""
_PLACES: Final = "SELECT node, n, id, hash FROM mirrored"
_PUT_PLACE: Final = "INSERT OR REPLACE INTO mirrored VALUES (?, ?, ?, ?)"
_KEEP_IDS: Final = "UPDATE log SET deleted = max(deleted, ?)"


class Place(NamedTuple):
    """The last event of a node that was copied: its number, its id in the copy, its hash."""

    n: int
    id: int
    hash: str


class _OtherLogError(Exception):
    pass


def open_source(url: str) -> Engine:
    """Open a database for reading. Raises DatabaseUnusableError."""
    if is_postgres(url):
        return open_postgres(url)
    file = check_exists(url)
    if revision_of(file) != revisions()[0]:
        raise DatabaseUnusableError(f"the database {file} is of an older version; run evilpegs database upgrade")
    engine = create_engine("sqlite://", creator=lambda: connect(file, "ro"), poolclass=NullPool, hide_parameters=True)
    event.listen(engine, "handle_error", lambda context: explain(context.original_exception, str(file)), retval=True)
    return engine


def copy_to_file(url: str, file: Path, report: Callable[[str, int, int], None]) -> None:
    """Copy a database to a new file, in the state that it has now. Raises DatabaseUnusableError or OSError."""
    if file.exists():
        raise DatabaseUnusableError(f"{file} exists; name a new file")
    with replacement(file) as new:
        with closing(Mirror(url, new)) as mirror:
            while not mirror.catch_up():
                report("events", mirror.copied, mirror.written)
        with closing(connect(new)) as connection:
            connection.execute("DROP TABLE mirrored")
            connection.execute("PRAGMA journal_mode=DELETE")


class Mirror:
    """The copy of the database at ``url`` in ``file``. Raises DatabaseUnusableError, also if the file is no copy."""

    def __init__(
        self, url: str, file: Path, log: BoundLogger | None = None, now: Callable[[], float] = monotonic
    ) -> None:
        self._file, self._log, self._now, self._is_on_postgres = file, log, now, is_postgres(url)
        self._new, self._log_row = (
            (_NEW_ON_POSTGRES, _LOG_ON_POSTGRES) if self._is_on_postgres else (_NEW_IN_FILE, _LOG_IN_FILE)
        )
        with ExitStack() as stack:
            self._source = stack.enter_context(closing_engine(open_source(url)))
            self._target = stack.enter_context(closing_engine(open_database(file_url(file))))
            with changing(self._target) as target:
                self._begin(target)
            self._closing = stack.pop_all()
        self._next_full, self._has_remains = float("-inf"), False
        self._first = 0  # the first id that nodes may give
        self.written = 0  # events of the database
        self.key: str | None = None  # the public one with which nodes sign

    @property
    def copied(self) -> int:
        return sum(place.n for node, place in self._places.items() if node)

    @property
    def last(self) -> int:
        """The highest id in the copy."""
        return max(place.id for place in self._places.values())

    @property
    def gone(self) -> int:
        """The highest id before the copy was made again."""
        return self._places[""].id

    def close(self) -> None:
        self._closing.close()

    def catch_up(self) -> bool:
        """Copy a batch of what is new; return whether the copy has all that was there. Raises DatabaseUnusableError."""
        # first the copy, or the snapshot could be older than what another process has copied meanwhile
        with changing(self._target) as target, self._snapshot() as source:
            is_new = self._begin(target)
            try:
                is_whole = self._copy(source, target, is_new)
            except (_OtherLogError, IntegrityError) as error:
                if is_new:
                    raise
                self._begin_again(target, str(error).partition("\n")[0])
                return False
        if self._has_remains:
            self._has_remains = not empty_side_file(self._target)
        return is_whole

    def _begin(self, target: Connection) -> bool:
        is_mirror, last, has_players = target.exec_driver_sql(_STATE).one()
        if has_players and not is_mirror:
            raise DatabaseUnusableError(f"{self._file} is a database of its own; name a new file for the copy")
        target.exec_driver_sql(_MIRRORED)
        self._places = {"": Place(0, 0, "")}
        self._places |= {node: Place(*row) for node, *row in target.exec_driver_sql(_PLACES)}
        if last > self.last:
            raise DatabaseUnusableError(f"a server has written to the copy {self._file}; name a new file for the copy")
        return not has_players

    def _begin_again(self, target: Connection, why: str) -> None:
        if self._log is not None:
            self._log.warning("the copy is made again from the first event on", copy=str(self._file), why=why)
        for table in ("mirrored", *reversed(rows_of.TABLES)):
            target.exec_driver_sql(f"DELETE FROM {table}")  # noqa: S608 - of constants
        target.exec_driver_sql(_PUT_PLACE, ("", 0, self.last, ""))
        target.exec_driver_sql(_KEEP_IDS, (self.last,))  # who follows the copy must not take new events for old ones
        self._next_full = float("-inf")

    @contextmanager
    def _snapshot(self) -> Iterator[Connection]:
        with self._source.connect() as connection:
            if self._is_on_postgres:
                connection.execution_options(isolation_level="REPEATABLE READ")
            else:
                connection.exec_driver_sql("BEGIN")
            yield connection
            connection.rollback()

    def _copy(self, source: Connection, target: Connection, is_new: bool) -> bool:
        place = orjson.dumps({node: place.n for node, place in self._places.items() if node}).decode()
        new, cut = self._check(source.exec_driver_sql(self._new, (place, EVENTS)).all())
        if (acts := rows_of.new_acts(source, target)) is None:
            raise _OtherLogError("what the operator did last is not there")
        is_full = not cut and self._now() >= self._next_full
        if not (is_full or acts or any(new.values())):
            return True
        places, last = dict(self._places), self.last
        if is_full or is_new:
            self._copy_log(source, target, is_new)
        rows_of.copy_acts(source, target, acts)
        if any(act.act == "forget" for act in acts):
            target.exec_driver_sql(_KEEP_IDS, (last,))
            self._has_remains = True
        numbers = {row.match for rows in new.values() for row in rows}
        rows_of.copy_matches(source, target, numbers)
        stored = []
        for row in _in_order(new, cut, rows_of.last_seqs(target, numbers)):
            last = max(last + 1, row.n, 0 if row.node == COPIED else self._first)
            stored.append((last, row.match, row.seq, row.at, row.type, row.json, row.hash))
            places[row.node] = Place(row.n, last, row.hash)
        rows_of.store_events(target, stored)
        if is_full:
            created = rows_of.copy_without_events(source, target, places[""].n)
            places[""] = places[""]._replace(n=created)
        changed = [(node, *place) for node, place in places.items() if place != self._places.get(node)]
        if changed:
            target.exec_driver_sql(_PUT_PLACE, changed)
        self._places = places
        if is_full:
            self._next_full = self._now() + FULL_SECONDS
        return not cut

    def _check(self, rows: Sequence[Any]) -> tuple[dict[str, deque[Any]], set[str]]:
        # what is new of each node, and the nodes that have more
        new, cut, self.written = {}, set(), 0
        for node, group in groupby(rows, key=lambda row: row.node):
            events = list(group)
            written = events[0].written
            self.written += written
            if node == COPIED:
                self._first = written + 1
            if len(events) == EVENTS:
                cut.add(node)
            known = self._places.get(node)
            if known is not None and events[0].n == known.n:
                if events.pop(0).hash != known.hash:
                    raise _OtherLogError(f"event {known.n} of the node {node} is another one")
            elif known is not None and written < known.n:  # else it was forgotten
                raise _OtherLogError(f"the events of the node {node} end with {written}")
            new[node] = deque(event for event in events if event.n is not None)
        if missing := self._places.keys() - new.keys() - {""}:
            raise _OtherLogError(f"there is no node {min(missing)}")
        # what was copied comes first, because its ids are the lowest
        return ({COPIED: new[COPIED]} if COPIED in cut else new), cut

    def _copy_log(self, source: Connection, target: Connection, is_new: bool) -> None:
        name, deleted, self.key = source.exec_driver_sql(self._log_row).one()
        if is_new:
            target.exec_driver_sql("UPDATE log SET id = ?", (name,))
        elif target.exec_driver_sql("SELECT id FROM log").scalar() != name:
            raise _OtherLogError("the database is another one")
        target.exec_driver_sql(_KEEP_IDS, (deleted,))


def _in_order(new: Mapping[str, deque[Any]], cut: set[str], last: dict[int, int]) -> Iterator[Any]:
    # by time where the order is free, until all that are left wait for events that were not read yet
    while waiting := [events for events in new.values() if events]:
        ready = [events for events in waiting if events[0].seq <= last.get(events[0].match, 0) + 1]
        if not ready:
            if any(node in cut and not events for node, events in new.items()):
                return
            ready = waiting  # the database has lost an event
        row = min(ready, key=lambda events: events[0].at).popleft()
        last[row.match] = row.seq
        yield row


class LocalCopy:
    """The mirror of a PostgreSQL database on this machine, which all who read it bring up to date themselves."""

    def __init__(self, url: str, log: BoundLogger | None = None) -> None:
        self.mirror = Mirror(url, database_file(url), log)
        self._working, self._is_closed = Lock(), False

    def follow(self, report: Callable[[float], None] = lambda _: None) -> tuple[int, int]:
        """Copy what is there now; return `last` and `gone` of the mirror.

        ``report`` gets the share that is done. Raises DatabaseUnusableError.
        """
        with self._working:
            while not (self._is_closed or self.mirror.catch_up()):
                report(self.mirror.copied / max(1, self.mirror.written))
            return self.mirror.last, self.mirror.gone

    def close(self) -> None:
        """End also what `follow` does on another thread."""
        self._is_closed = True
        with self._working:
            self.mirror.close()
