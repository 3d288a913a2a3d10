"""A copy of a database in an SQLite file, which follows what is written: to PostgreSQL, or to another file.

Nodes commit independently of each other, and each numbers its events in the order of its commits, so the place of the
copy is a number per node. It lies in the copy, in the table `mirrored`, and is read and moved in the transaction that
stores the events, so several processes may look in turns. Each look reads one snapshot of the database. An event is
stored after all earlier ones of its match, whichever node wrote them. Its id is its number if that is free: what was
copied to PostgreSQL gets its ids back.

A restored older dump lacks events that the copy has, or has others in their places. Then the copy is made again from
the first event on, with ids above all that it had.
"""

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final

from sqlalchemy import Connection, delete, select, text, update
from sqlalchemy.exc import IntegrityError
from structlog.stdlib import BoundLogger

from evilpegs_protocol.files import replacement
from evilpegs_server.storage.copies import mirrored_rows as rows_of
from evilpegs_server.storage.copies.places import OtherLogError, Places, in_order
from evilpegs_server.storage.database import engine_of
from evilpegs_server.storage.engines.sqlite import SqliteDatabase
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.location import connect, database_file, file_url
from evilpegs_server.storage.log import tables
from evilpegs_server.storage.queries import closing_engine

EVENTS: Final = 5_000
"""Of each node, in one look."""
FULL_SECONDS: Final = 1.0
"""Between two looks at what changes without an event."""
_STATE: Final = text("""
    SELECT (SELECT count(*) FROM sqlite_master WHERE name = 'mirrored'), (SELECT coalesce(max(id), 0) FROM events),
        (SELECT count(*) FROM (SELECT 1 FROM players LIMIT 1))
""")
_KEEP_IDS: Final = text("UPDATE log SET deleted = max(deleted, :id)")


def copy_to_file(url: str, file: Path, report: Callable[[str, int, int], None]) -> None:
    """Copy a database to a new file, in the state that it has now. Raises DatabaseUnusableError or OSError."""
    if file.exists():
        raise DatabaseUnusableError(f"{file} exists; name a new file")
    with replacement(file) as new:
        with closing(Mirror(url, new)) as mirror:
            while not mirror.catch_up():
                report("events", mirror.places.copied, mirror.places.written)
        with closing(connect(new)) as connection:
            connection.execute("DROP TABLE mirrored")
            connection.execute("PRAGMA journal_mode=DELETE")


class Mirror:
    """The copy of the database at ``url`` in ``file``. Raises DatabaseUnusableError, also if the file is no copy."""

    def __init__(
        self, url: str, file: Path, log: BoundLogger | None = None, now: Callable[[], float] = monotonic
    ) -> None:
        self._file, self._log, self._now = file, log, now
        self.places = Places()
        with ExitStack() as stack:
            self._source = stack.enter_context(closing_engine(engine_of(url).open_source(url)))
            self._target = stack.enter_context(closing_engine(SqliteDatabase.open(file_url(file))))
            with self._target.changing() as target:
                self._begin(target)
            self._closing = stack.pop_all()
        self._next_full, self._has_remains = float("-inf"), False
        self.key: str | None = None  # the public one with which nodes sign

    def close(self) -> None:
        self._closing.close()

    def catch_up(self) -> bool:
        """Copy a batch of what is new; return whether the copy has all that was there. Raises DatabaseUnusableError."""
        # first the copy, or the snapshot could be older than what another process has copied meanwhile
        with self._target.changing() as target, self._source.snapshot() as source:
            is_new = self._begin(target)
            try:
                is_whole = self._copy(source, target, is_new)
            except (OtherLogError, IntegrityError) as error:
                if is_new:
                    raise
                self._begin_again(target, str(error).partition("\n")[0])
                return False
        if self._has_remains:
            self._has_remains = not self._target.overwrite_deleted()
        return is_whole

    def _begin(self, target: Connection) -> bool:
        is_mirror, last, has_players = target.execute(_STATE).one()
        if has_players and not is_mirror:
            raise DatabaseUnusableError(f"{self._file} is a database of its own; name a new file for the copy")
        self.places.read(target)
        if last > self.places.last:
            raise DatabaseUnusableError(f"a server has written to the copy {self._file}; name a new file for the copy")
        return not has_players

    def _begin_again(self, target: Connection, why: str) -> None:
        if self._log is not None:
            self._log.warning("the copy is made again from the first event on", copy=str(self._file), why=why)
        for table in reversed(rows_of.TABLES):
            target.execute(delete(table))
        self.places.begin_again(target)
        target.execute(
            _KEEP_IDS, {"id": self.places.last}
        )  # who follows the copy must not take new events for old ones
        self._next_full = float("-inf")

    def _copy(self, source: Connection, target: Connection, is_new: bool) -> bool:
        wanted = {"places": self.places.to_json(), "limit": EVENTS}
        new, cut = self.places.check(source.execute(self._source.new_events, wanted).all(), EVENTS)
        if (acts := rows_of.new_acts(source, target)) is None:
            raise OtherLogError("what the operator did last is not there")
        is_full = not cut and self._now() >= self._next_full
        if not (is_full or acts or any(new.values())):
            return True
        last = self.places.last
        if is_full or is_new:
            self._copy_log(source, target, is_new)
        rows_of.copy_acts(source, target, acts)
        if any(act.act == "forget" for act in acts):
            target.execute(_KEEP_IDS, {"id": last})
            self._has_remains = True
        numbers = {row.match for rows in new.values() for row in rows}
        rows_of.copy_matches(source, target, numbers)
        stored = []
        for row in in_order(new, cut, rows_of.last_seqs(target, numbers)):
            last = self.places.move(row, last)
            event = {name: getattr(row, name) for name in ("match", "seq", "at", "type", "json", "hash")}
            stored.append({"id": last, **event})
        rows_of.store_events(target, stored)
        if is_full:
            self.places.move_players(rows_of.copy_without_events(source, target, self.places.created))
        self.places.store(target)
        if is_full:
            self._next_full = self._now() + FULL_SECONDS
        return not cut

    def _copy_log(self, source: Connection, target: Connection, is_new: bool) -> None:
        name, deleted, self.key = source.execute(self._source.log_row).one()
        if is_new:
            target.execute(update(tables.log).values(id=name))
        elif target.execute(select(tables.log.c.id)).scalar() != name:
            raise OtherLogError("the database is another one")
        target.execute(_KEEP_IDS, {"id": deleted})


class LocalCopy:
    """The mirror of a PostgreSQL database on this machine, which all who read it bring up to date themselves."""

    def __init__(self, url: str, log: BoundLogger | None = None) -> None:
        self.mirror = Mirror(url, database_file(url), log)
        self.places = self.mirror.places
        self._working, self._is_closed = Lock(), False

    def follow(self, report: Callable[[float], None] = lambda _: None) -> tuple[int, int]:
        """Copy what is there now; return `last` and `gone` of the mirror.

        ``report`` gets the share that is done. Raises DatabaseUnusableError.
        """
        with self._working:
            while not (self._is_closed or self.mirror.catch_up()):
                report(self.places.copied / max(1, self.places.written))
            return self.places.last, self.places.gone

    def close(self) -> None:
        """End also what `follow` does on another thread."""
        self._is_closed = True
        with self._working:
            self.mirror.close()
