"""Opening the database: its URL, its settings for full durability, its schema brought up to date."""

import fcntl
import sqlite3
from pathlib import Path
from typing import IO, Any, Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError
from sqlalchemy.pool import QueuePool

from evilpegs_game.errors import EvilpegsError

_MIGRATIONS: Final = Path(__file__).with_name("migrations")


class DatabaseUnusableError(EvilpegsError):
    """The database cannot be used; the message is one line that says why and what to do."""


class DatabaseMissingError(DatabaseUnusableError):
    """The database was to be read, and its file does not exist."""


class DatabaseInUseError(DatabaseUnusableError):
    """Another server holds the lock of the database."""


def open_database(url: str) -> Engine:
    """An engine on the database at ``url``, created and migrated as needed.

    SQLite runs in WAL mode with ``synchronous=FULL``: what is committed survives a loss of power.

    Raises:
        DatabaseUnusableError: a URL that means nothing, no right to write, not a database of ours.
    """
    place = _sqlite_url(url)
    # Rows have secrets in them, and errors are logged.
    engine = create_engine(
        place, poolclass=QueuePool, pool_size=4, hide_parameters=True, connect_args={"check_same_thread": False}
    )
    event.listen(engine, "connect", _set_pragmas)
    try:
        if place.database:
            _make_private(Path(place.database))
        _upgrade(engine)
    except (DatabaseError, sqlite3.Error, OSError, CommandError) as error:
        engine.dispose()
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        message = f"cannot use the database {url}: {reason}; name another with --database sqlite:///FILE"
        raise DatabaseUnusableError(message) from None
    return engine


def open_existing_database(url: str) -> Engine:
    """The same for reading what is there; a file that does not exist is an error and is not created."""
    place = _sqlite_url(url)
    if place.database and not Path(place.database).exists():
        message = f"there is no database at {place.database}; run `evilpegs serve` first or name one with --database"
        raise DatabaseMissingError(message)
    return open_database(url)


class DatabaseLock:
    """One server a database: a lock that goes with the process, however it ends."""

    def __init__(self, url: str) -> None:
        self._file: IO[str] | None = None
        database = _sqlite_url(url).database
        if database:
            self._take(database)

    def _take(self, database: str) -> None:
        try:
            _make_private(Path(database + ".lock"))
            self._file = Path(database + ".lock").open("a")  # noqa: SIM115 - held as long as the server runs
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            message = f"another server is running on {database}; stop it or name another with --database"
            raise DatabaseInUseError(message) from None
        except OSError as error:
            message = (
                f"cannot use the database {database}: {error.strerror}; name another with --database sqlite:///FILE"
            )
            raise DatabaseUnusableError(message) from None

    def release(self) -> None:
        """Let another server have the database."""
        if self._file is not None:
            self._file.close()


def _make_private(path: Path) -> None:
    """Make a file that only its owner reads: seeds of open games are in it. One that exists is left as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600, exist_ok=True)


def database_file(url: str) -> Path:
    """The file of the database; raises DatabaseUnusableError where there is none."""
    return Path(_sqlite_url(url).database or "")


def _sqlite_url(url: str) -> URL:
    try:
        place = make_url(url)
    except (ArgumentError, ValueError):
        message = f"not a database URL: {url[:80]!r}; write sqlite:///FILE"
        raise DatabaseUnusableError(message) from None
    if place.drivername != "sqlite":
        message = f"databases of type {place.drivername[:20]} are not supported yet; write sqlite:///FILE"
        raise DatabaseUnusableError(message)
    if place.host or place.query or "\0" in url:
        message = f"not the URL of a file: {url[:80]!r}; write sqlite:///FILE, with three slashes and no options"
        raise DatabaseUnusableError(message)
    if place.database in {None, "", ":memory:"}:
        message = "a database in memory would lose every match; write sqlite:///FILE"
        raise DatabaseUnusableError(message)
    return place


def _set_pragmas(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout=5000")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _upgrade(engine: Engine) -> None:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def newest_revision() -> str:
    """The revision that `open_database` brings a database to."""
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.set_main_option("path_separator", "os")
    return ScriptDirectory.from_config(config).get_current_head() or ""
