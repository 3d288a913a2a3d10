"""The log at a URL: the engine that it has is chosen here, and nothing else asks which one it is."""

import importlib.util

from structlog.stdlib import BoundLogger

from evilpegs_protocol.suggestions import install_hint
from evilpegs_server.storage.engines.sqlite import SqliteDatabase
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.location import is_remote
from evilpegs_server.storage.log.interface import Database


def engine_of(url: str) -> type[Database]:
    """Return the engine of the log at ``url``. Raises DatabaseUnusableError."""
    if not is_remote(url):
        return SqliteDatabase
    if importlib.util.find_spec("psycopg") is None:
        raise DatabaseUnusableError(f"a database at postgresql:// needs psycopg; {install_hint('postgres')}")
    from evilpegs_server.storage.engines.postgres import PostgresDatabase  # noqa: PLC0415 - needs the extra

    return PostgresDatabase


def open_database(url: str, log: BoundLogger | None = None) -> Database:
    """Open the log at ``url`` as `Database.open` does."""
    return engine_of(url).open(url, log)


def open_existing_database(url: str) -> Database:
    """Open the log at ``url``, but raise DatabaseMissingError if there is none."""
    return engine_of(url).open_existing(url)
