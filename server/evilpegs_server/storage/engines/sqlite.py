"""A log in a file of SQLite: its tables, connections of full durability, and what only SQLite has."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from types import MappingProxyType
from typing import Any, Final, Self

import orjson
import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.pool import NullPool, QueuePool
from structlog.stdlib import BoundLogger

from evilpegs_server.storage.engines.schema import is_known, key_flaws, revision_of, table_flaws, upgrade
from evilpegs_server.storage.errors import (
    RESTORE,
    DatabaseDamagedError,
    DatabaseInUseError,
    DatabaseMissingError,
    DatabaseUnusableError,
    explain,
)
from evilpegs_server.storage.location import check_files, connect, create_private, database_file, engine_url
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.log.interface import Database
from evilpegs_server.storage.log.tables import REVISION, copied_log, versions
from evilpegs_server.storage.log.writer import Fact, Write, merge

ANOTHER: Final = "name another with --database sqlite:///FILE"
FILE: Final = "file"
"""The only node of a log in a file."""
TABLES: Final = copied_log()
_events: Final = TABLES.tables["events"]
# numbers of rows are given twice after the last row was deleted, or after VACUUM, unless they are a column
_events.append_column(sa.Column("id", sa.Integer, primary_key=True))
_events.append_constraint(sa.UniqueConstraint("match", "seq"))
_events.append_constraint(sa.ForeignKeyConstraint(["match"], ["matches.number"]))
_matches: Final = TABLES.tables["matches"].c
# the filters of `browse`
sa.Index("ix_matches_started_at", _matches.started_at)
sa.Index("ix_matches_ladder", _matches.ladder, _matches.started_at)
sa.Index("ix_matches_ladder_client", _matches.ladder, _matches.client, _matches.started_at)
sa.Index("ix_matches_player_ladder", _matches.player, _matches.ladder, _matches.started_at)
sa.Index("ix_matches_player_ladder_client", _matches.player, _matches.ladder, _matches.client, _matches.started_at)

# that every version of the database has
_OURS: Final = frozenset({"players", "matches", "events"})


class SqliteDatabase(Database):
    """The log in ``file``."""

    new_events = sa.text(f"""
        SELECT '{FILE}' AS node, max(l.deleted, coalesce((SELECT max(id) FROM events), 0)) AS written,
            e.id AS n, e.match, e.seq, e.at, e.type, e.json, e.hash
        FROM log AS l LEFT JOIN events AS e ON e.id >= coalesce(json_extract(:places, '$.{FILE}'), 0)
        ORDER BY e.id LIMIT :limit
    """)  # noqa: S608 - of constants
    log_row = sa.text("SELECT id, deleted, NULL FROM log")

    def __init__(self, engine: sa.Engine, file: Path) -> None:
        super().__init__(engine)
        self.file = file

    @classmethod
    def open(cls, url: str, log: BoundLogger | None = None) -> Self:
        check_files(file := database_file(url))
        engine = _durable_engine(file)
        try:
            if file.exists() and file.stat().st_size:
                with reading_engine(file).connect() as connection:
                    check_schema(connection, file)
            create_private(file)
            _make_or_upgrade(engine, file, log)
        except (DatabaseError, sqlite3.Error, OSError) as error:
            engine.dispose()
            reason = str(getattr(error, "orig", None) or error).splitlines()[0]
            unusable = DatabaseUnusableError(f"cannot use the database {url}: {reason}; {ANOTHER}")
            # another name is no remedy for a file that could be used before
            raise (file.is_file() and explain(error, str(file))) or unusable from None
        _explain_errors(engine, file)
        return cls(engine, file)

    @classmethod
    def open_existing(cls, url: str) -> Self:
        check_exists(url)
        return cls.open(url)

    @classmethod
    def open_source(cls, url: str) -> Self:
        engine = reading_engine(file := check_exists(url))
        with engine.connect() as connection:
            check_schema(connection, file)
            if revision_of(connection) != REVISION:
                what = "is of an older version; run evilpegs database upgrade"
                raise DatabaseUnusableError(f"the database {file} {what}")
        _explain_errors(engine, file)
        return cls(engine, file)

    @classmethod
    def upgrade(cls, url: str) -> bool:
        check_exists(url)
        lock = DatabaseLock(url)
        try:
            cls.open(url).dispose()
        finally:
            lock.release()
        return False

    @classmethod
    @contextmanager
    def without_servers(cls, url: str) -> Iterator[bool]:
        check_exists(url)
        with ExitStack() as held:
            is_free = False
            with suppress(DatabaseInUseError):
                held.callback(DatabaseLock(url).release)
                is_free = True
            yield is_free

    @classmethod
    def flaws(cls, url: str) -> tuple[str, ...]:
        with reading_engine(file := database_file(url)).connect() as connection:
            return tuple(schema_flaws(connection, file))

    def guard(self, lock: DatabaseLock) -> None:
        """Refuse connections with DatabaseMovedError if the locked file was moved, deleted or replaced."""
        # else a moved file could be read, or another one in its place written; takes 2 microseconds
        for moment in ("do_connect", "checkout"):
            sa.event.listen(self.engine, moment, lambda *_: lock.check())

    def exclude_others(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    @contextmanager
    def snapshot(self) -> Iterator[sa.Connection]:
        with self.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            yield connection
            connection.rollback()

    def prepare_to_forget(self, connection: sa.Connection, _player: int) -> None:
        # the bytes are overwritten in the file once `overwrite_deleted` has succeeded
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
        highest = sa.text("UPDATE log SET deleted = max(deleted, (SELECT coalesce(max(id), 0) FROM events))")
        connection.execute(highest)

    def overwrite_deleted(self) -> bool:
        return empty_side_file(self.engine)


def check_exists(url: str) -> Path:
    """Return the database file at ``url``; raises DatabaseMissingError if it is missing or empty."""
    check_files(file := database_file(url))
    if not file.exists() or not file.stat().st_size:
        what = f"{file} is an empty file" if file.exists() else f"there is no database at {file}"
        raise DatabaseMissingError(f"{what}; run `evilpegs serve` first or name one with --database")
    return file


def empty_side_file(engine: sa.Engine) -> bool:
    """Move all pages of the side file to the database; return False if a reader is in the way."""
    with engine.connect() as connection:
        return not connection.exec_driver_sql("PRAGMA main.wal_checkpoint(TRUNCATE)").scalar()


def _durable_engine(file: Path) -> sa.Engine:
    engine = sa.create_engine(
        engine_url(file),
        poolclass=QueuePool,
        pool_size=4,
        hide_parameters=True,  # errors are logged, and rows contain secrets
        connect_args={"check_same_thread": False},
    )
    sa.event.listen(engine, "connect", _set_pragmas)
    return engine


def reading_engine(file: Path) -> sa.Engine:
    """Return an engine that reads the file as it is, each statement in a transaction of its own."""
    return sa.create_engine("sqlite://", creator=lambda: connect(file, "ro"), poolclass=NullPool, hide_parameters=True)


def _explain_errors(engine: sa.Engine, file: Path) -> None:
    sa.event.listen(engine, "handle_error", lambda context: explain(context.original_exception, str(file)), retval=True)


def _set_pragmas(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout=5000")
    try:
        cursor.execute("PRAGMA journal_mode=WAL")
    except sqlite3.OperationalError:  # this alone does not wait for another process, which may be doing the same
        cursor.executescript("BEGIN IMMEDIATE; COMMIT; PRAGMA journal_mode=WAL")
    # so that committed data survives a loss of power
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _make_or_upgrade(engine: sa.Engine, file: Path, log: BoundLogger | None) -> None:
    with engine.begin() as connection:
        if revision_of(connection) == REVISION:
            return
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # another process may do the same
        if (revision := revision_of(connection)) is None:
            TABLES.create_all(connection)
            connection.execute(sa.insert(TABLES.tables["log"]).values(id=token_hex(8)))
            connection.execute(sa.insert(versions).values(version_num=REVISION))
        elif revision != REVISION:
            if log is not None:
                size = file.stat().st_size
                log.info("upgrading the database; this takes some seconds per million events", bytes=size)
            upgrade(connection, file.with_name(f"{file.name}.feed"))


def check_schema(connection: sa.Connection, file: Path) -> None:
    """Raise DatabaseUnusableError for the first flaw of `schema_flaws`, keys apart."""
    for flaw, remedy in schema_flaws(connection, file, with_keys=False).items():
        kind = DatabaseDamagedError if remedy is RESTORE else DatabaseUnusableError
        raise kind(f"the database {file} cannot be used: {flaw}; {remedy}")


def schema_flaws(connection: sa.Connection, file: Path, *, with_keys: bool = True) -> dict[str, str]:
    """Return each flaw of the tables with its remedy. Raises DatabaseUnusableError if another program made them."""
    schema = "SELECT name, type, tbl_name, sql FROM sqlite_master"
    made = {name: rest for name, *rest in connection.exec_driver_sql(schema)}
    kinds = {name: kind for name, (kind, *_) in made.items() if kind in {"table", "view"}}
    if not kinds:
        return {}
    if len(_OURS & kinds.keys()) < 2:  # one of them may be missing
        message = f"{file} is not a database of evilpegs: it has a {kinds[(first := min(kinds))]} {first!r}; {ANOTHER}"
        raise DatabaseUnusableError(message)
    if kinds.get(versions.name) != "table":
        return {f"the table {versions.name} is missing": RESTORE}
    revision, *others = connection.execute(versions.select()).scalars().all() or [""]
    if not revision or others:
        return {f"the table {versions.name} does not have one row": RESTORE}
    if not is_known(revision):
        flaw = f"its tables are of the version {revision!r:.50}, and this program knows none after {REVISION}"
        return {flaw: f"install the version of evilpegs that wrote it, or {ANOTHER}"}
    triggers = {
        f"somebody else made the trigger {name} on {table}": f"remove it in SQLite with DROP TRIGGER {name}"
        for name, (kind, table, _) in made.items()
        if kind == "trigger"
    }
    if revision != REVISION:
        return dict.fromkeys(_flaws_of_older(connection, revision), RESTORE) | triggers
    flaws = table_flaws(connection, TABLES)
    if with_keys and not flaws:
        flaws = key_flaws(connection, TABLES)
    return dict.fromkeys(flaws, RESTORE) | triggers


def _flaws_of_older(connection: sa.Connection, revision: str) -> list[str]:
    # its tables, but no row of them, are upgraded in memory
    made = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND type <> 'trigger' ORDER BY type <> 'table', rowid"
    with sa.create_engine("sqlite://", poolclass=NullPool).begin() as copy:
        for (sql,) in connection.exec_driver_sql(made):
            copy.exec_driver_sql(sql)
        copy.execute(sa.insert(versions).values(version_num=revision))
        try:
            upgrade(copy)
        except OperationalError as error:
            return [f"its tables are not those of the version {revision}: {error.orig}"]
        return table_flaws(copy, TABLES) or key_flaws(copy, TABLES)


_PLAYER: Final = """
    INSERT INTO players (id, name, skeleton, kind, token_hash, created_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
"""
_MATCH: Final = "INSERT INTO matches (id, player, ladder, seed, started_at, over, client) VALUES (?, ?, ?, ?, ?, 0, ?)"
# Without a WHERE, SQLite reads the ON of an upsert as the ON of a join.
_BEGUN: Final = """
    INSERT INTO begun (match, game, at, client_nonce)
    SELECT (SELECT number FROM matches WHERE matches.id = json_extract(row.value, '$[0]')),
        json_extract(row.value, '$[1]'), json_extract(row.value, '$[2]'), json_extract(row.value, '$[3]')
    FROM json_each(?) AS row WHERE true ON CONFLICT DO NOTHING
"""
_EVENTS: Final = """
    INSERT INTO events (id, match, seq, at, type, json, hash)
    SELECT 1 + row.key + max((SELECT coalesce(max(id), 0) FROM events), (SELECT deleted FROM log)),
        (SELECT number FROM matches WHERE matches.id = json_extract(row.value, '$[0]')),
        json_extract(row.value, '$[1]'), json_extract(row.value, '$[2]'), json_extract(row.value, '$[3]'),
        json_extract(row.value, '$[4]'), json_extract(row.value, '$[5]')
    FROM json_each(?) AS row
"""
_MATCHES_OVER: Final = "UPDATE matches SET over = 1 WHERE id IN (SELECT value FROM json_each(?))"
STATEMENTS: Final[Mapping[int, str]] = MappingProxyType(
    {Fact.PLAYER: _PLAYER, Fact.MATCH: _MATCH, Fact.BEGUN: _BEGUN, Fact.EVENTS: _EVENTS, Fact.OVER: _MATCHES_OVER}
)
# all rows are the JSON text of one parameter, which is faster: the driver releases the interpreter lock at each step of
# a statement, and has to compete with the event loop for it
_IN_ONE_TEXT: Final = (Fact.BEGUN, Fact.EVENTS, Fact.OVER)
_LAST_EVENT: Final = "SELECT max(id) FROM events"


class SqliteStore:
    """A `Store`; ``check`` raises if the file is not in its place."""

    def __init__(
        self,
        database: SqliteDatabase,
        check: Callable[[], None] = lambda: None,
        last_event: int = 0,
        statements: Mapping[int, str] = STATEMENTS,
    ) -> None:
        self.check, self.last_event = check, last_event
        self._database, self._statements = database, statements
        self._connection: sa.Connection | None = None

    def write(self, jobs: Sequence[Sequence[Write]], seconds: float) -> Sequence[None]:
        if self._connection is None:
            self._connection = self._database.connect()
        connection = self._connection
        with connection.begin():
            driver = connection.connection.cursor()
            driver.execute(f"PRAGMA busy_timeout={round(1000 * seconds)}")
            driver.execute("BEGIN IMMEDIATE")
            for fact, rows in merge(jobs).items():
                if fact in _IN_ONE_TEXT:
                    driver.execute(self._statements[fact], (orjson.dumps(rows).decode(),))
                else:
                    connection.exec_driver_sql(self._statements[fact], rows)
            last_event = driver.execute(_LAST_EVENT).fetchone()[0] or 0
        self.last_event = last_event
        return [None] * len(jobs)

    def explain(self, error: Exception) -> Exception:
        return explain(error, str(self._database.file)) or error

    def drop(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.invalidate()
                self._connection.close()
            self._connection = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
