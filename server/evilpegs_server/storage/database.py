"""Opening the database: its URL, its settings for full durability, the migration of its schema, its lock."""

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
    """The error of a database that cannot be used. The message is one line that says why and what to do."""


class DatabaseMissingError(DatabaseUnusableError):
    """The error of a database that was to be read but whose file does not exist."""


class DatabaseInUseError(DatabaseUnusableError):
    """The error of a database whose lock is held by another server."""


def open_database(url: str) -> Engine:
    """Return an engine on the database at ``url``, which is created and migrated as needed.

    SQLite runs in WAL mode with ``synchronous=FULL``: committed data survives a loss of power.

    Raises:
        DatabaseUnusableError: the URL is malformed, the file is not writable, or it is not a database of evilpegs.
    """
    parsed = _sqlite_url(url)
    # Errors are logged, and rows contain secrets.
    engine = create_engine(
        parsed, poolclass=QueuePool, pool_size=4, hide_parameters=True, connect_args={"check_same_thread": False}
    )
    event.listen(engine, "connect", _set_pragmas)
    try:
        if parsed.database:
            _make_private(Path(parsed.database))
        _upgrade(engine)
    except (DatabaseError, sqlite3.Error, OSError, CommandError) as error:
        engine.dispose()
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        message = f"cannot use the database {url}: {reason}; name another with --database sqlite:///FILE"
        raise DatabaseUnusableError(message) from None
    return engine


def open_existing_database(url: str) -> Engine:
    """Return an engine on the existing database at ``url``, which is migrated as needed.

    Raises:
        DatabaseMissingError: the file does not exist. It is not created.
        DatabaseUnusableError: as for `open_database`.
    """
    parsed = _sqlite_url(url)
    if parsed.database and not Path(parsed.database).exists():
        message = f"there is no database at {parsed.database}; run `evilpegs serve` first or name one with --database"
        raise DatabaseMissingError(message)
    return open_database(url)


class DatabaseLock:
    """A lock that allows one server per database. It is released when the process ends, however it ends.

    Raises:
        DatabaseInUseError: another server holds the lock.
        DatabaseUnusableError: the lock file cannot be created.
    """

    def __init__(self, url: str) -> None:
        self._file: IO[str] | None = None
        database = _sqlite_url(url).database
        if database:
            self._acquire(database)

    def _acquire(self, database: str) -> None:
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
        """Release the lock, so that another server can use the database."""
        if self._file is not None:
            self._file.close()


def _make_private(path: Path) -> None:
    """Create a file that only its owner can read, because it contains the seeds of open games.

    A file that exists keeps its permissions.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600, exist_ok=True)


def database_file(url: str) -> Path:
    """Return the file of the database at ``url``.

    Raises:
        DatabaseUnusableError: the URL names no file.
    """
    return Path(_sqlite_url(url).database or "")


def _sqlite_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        message = f"not a database URL: {url[:80]!r}; write sqlite:///FILE"
        raise DatabaseUnusableError(message) from None
    if parsed.drivername != "sqlite":
        message = f"databases of type {parsed.drivername[:20]} are not supported yet; write sqlite:///FILE"
        raise DatabaseUnusableError(message)
    if parsed.host or parsed.query or "\0" in url:
        message = f"not the URL of a file: {url[:80]!r}; write sqlite:///FILE, with three slashes and no options"
        raise DatabaseUnusableError(message)
    if parsed.database in {None, "", ":memory:"}:
        message = "a database in memory would lose every match; write sqlite:///FILE"
        raise DatabaseUnusableError(message)
    return parsed


def _set_pragmas(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout=5000")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _alembic_config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.set_main_option("path_separator", "os")
    return config


def _upgrade(engine: Engine) -> None:
    config = _alembic_config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def newest_revision() -> str:
    """Return the schema revision to which `open_database` migrates a database."""
    return ScriptDirectory.from_config(_alembic_config()).get_current_head() or ""
