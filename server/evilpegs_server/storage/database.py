"""Engines on the database, with full durability and a migrated schema."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from alembic import command
from alembic.runtime.migration import MigrationContext
from alembic.util import CommandError
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import QueuePool
from structlog.stdlib import BoundLogger

from evilpegs_server.storage.errors import DatabaseMissingError, DatabaseUnusableError, explain
from evilpegs_server.storage.location import (
    check_not_cut,
    connect,
    create_private,
    database_file,
    engine_url,
    is_postgres,
)
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.postgres.database import open_postgres
from evilpegs_server.storage.schema import ANOTHER, alembic_config, check_schema, revisions


def open_database(url: str, log: BoundLogger | None = None) -> Engine:
    """Create or migrate the database; return an engine, which also raises DatabaseUnusableError where it applies.

    The tables of a PostgreSQL database are made and migrated by a command only.
    """
    if is_postgres(url):
        return open_postgres(url)
    check_not_cut(file := database_file(url))
    # Errors are logged, and rows contain secrets.
    engine = create_engine(
        engine_url(file),
        poolclass=QueuePool,
        pool_size=4,
        hide_parameters=True,
        connect_args={"check_same_thread": False},
    )
    event.listen(engine, "connect", _set_pragmas)
    try:
        if file.exists() and file.stat().st_size:
            with closing(connect(file, "ro")) as connection:
                check_schema(connection, file)
        create_private(file)
        _upgrade(engine, file, log)
    except (DatabaseError, sqlite3.Error, OSError, CommandError) as error:
        engine.dispose()
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        unusable = DatabaseUnusableError(f"cannot use the database {url}: {reason}; {ANOTHER}")
        # another name is no remedy for a file that could be used before
        raise (file.is_file() and explain(error, str(file))) or unusable from None
    event.listen(engine, "handle_error", lambda context: explain(context.original_exception, str(file)), retval=True)
    return engine


def open_existing_database(url: str) -> Engine:
    """Open a database like `open_database`, but raise DatabaseMissingError if its file is missing or empty."""
    if not is_postgres(url):
        check_exists(url)
    return open_database(url)


def check_exists(url: str) -> Path:
    """Return the database file at ``url``; raises DatabaseMissingError if it is missing or empty."""
    check_not_cut(file := database_file(url))
    if not file.exists() or not file.stat().st_size:
        what = f"{file} is an empty file" if file.exists() else f"there is no database at {file}"
        raise DatabaseMissingError(f"{what}; run `evilpegs serve` first or name one with --database")
    return file


def guard_connections(engine: Engine, lock: DatabaseLock) -> None:
    """Refuse connections with DatabaseMovedError if the file that ``lock`` locks was moved, deleted or replaced."""
    # else a moved file could be read, or another one in its place written; takes 2 microseconds
    for moment in ("do_connect", "checkout"):
        event.listen(engine, moment, lambda *_: lock.check())


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


def _upgrade(engine: Engine, file: Path, log: BoundLogger | None) -> None:
    config = alembic_config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        revision = MigrationContext.configure(connection).get_current_revision()
        if revision == revisions()[0]:
            return
        if log is not None and revision is not None:
            log.info("upgrading the database; this takes some seconds per million events", bytes=file.stat().st_size)
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # another process may do the same
        command.upgrade(config, "head")
