"""Connections to the derived file, the lock of its writer, and what does not fit the log.

Every connection has the database as ``log`` beside it, read-only, so queries may name the tables of both. Columns from
which the secrets of open games follow cannot be read.
"""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from sqlalchemy import ExceptionContext, create_engine, event, text
from sqlalchemy.pool import QueuePool

from evilpegs_server.storage import errors
from evilpegs_server.storage.location import create_private, file_uri, side_files
from evilpegs_server.storage.lock import FileInPlace, FileLock, identity_of
from evilpegs_server.storage.log.interface import close_connections

LAYOUT: Final = 2
NONE: Final = "there are none yet"
_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SECRETS: Final = frozenset({("matches", "seed"), ("begun", "client_nonce"), ("players", "token_hash")})
_QUICK_CHECK: Final = text("PRAGMA main.quick_check(1)")
PLACE: Final = text("""
    SELECT layout, event, act, log = (SELECT id FROM log.log)
        AND (event = 0 OR hash IS (SELECT hash FROM log.events WHERE id = event)) AS is_of_this_log
    FROM main.place
""")


class WriterLock:
    """The lock of the one process that writes the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: FileLock | None = None

    @property
    def is_held(self) -> bool:
        return self._lock is not None

    def acquire(self) -> bool:
        """Return True if the lock is held now, and was not before."""
        if self.is_held:
            return False
        try:
            self._lock = FileLock(self.path)
        except BlockingIOError:
            return False
        except PermissionError:
            self.path.unlink()  # of another user, such as root, in a folder of ours
            self._lock = FileLock(self.path)
        return True

    def release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None


class Connections:
    """The engine on the file at ``path``, which writes while ``lock`` is held."""

    def __init__(self, path: Path, database: FileInPlace, lock: WriterLock) -> None:
        self._path, self._database, self._lock = path, database, lock
        self._identity: tuple[int, int] | None = None
        self._is_suspect = False
        self.changes = 0
        """How often another file was at the path."""
        self.engine = create_engine(
            "sqlite://", creator=self._connect, poolclass=QueuePool, pool_size=4, hide_parameters=True
        )
        event.listen(self.engine, "handle_error", self._explain, retval=True)
        event.listen(self.engine, "checkout", lambda *_: database.check())

    def flaw(self) -> str | None:
        """Return why the file does not fit the log."""
        before, self._identity = self._identity, None
        with suppress(FileNotFoundError):
            self._identity = identity_of(self._path)
        if self._identity != before:
            close_connections(self.engine)  # which are to the file of before
            if before is not None:
                self.changes += 1
                if self._lock.is_held:
                    return "the file was moved, deleted or replaced"
        if self._identity is None:
            return NONE
        if not os.access(self._path, os.R_OK | os.W_OK if self._lock.is_held else os.R_OK):
            return "the file belongs to another user"
        return self._flaw_of_content()

    def _flaw_of_content(self) -> str | None:
        try:
            with self.engine.connect() as connection:
                if self._is_suspect and connection.execute(_QUICK_CHECK).scalar() != "ok":
                    return "the file is damaged"
                place = connection.execute(PLACE).one_or_none()
        except errors.DatabaseDamagedError:
            return "the file is damaged"
        except Exception as error:
            if errors.error_code(error) != sqlite3.SQLITE_ERROR:
                raise
            place = None  # there are no tables
        self._is_suspect = False
        if place is None:
            return NONE
        if place.layout != LAYOUT:
            return "they are those of another version"
        return None if place.is_of_this_log else "they are those of another database"

    def replace(self) -> None:
        """Begin with an empty file."""
        for path in (self._path, *side_files(self._path)):
            path.unlink(missing_ok=True)
        create_private(self._path)
        self._identity = identity_of(self._path)
        close_connections(self.engine)
        self._is_suspect = False
        self.changes += 1

    def _connect(self) -> sqlite3.Connection:
        self._database.check()  # SQLite deletes the side file of one that was cut to nothing
        mode = "rw" if self._lock.is_held else "ro"
        connection = sqlite3.connect(file_uri(self._path, mode), uri=True, check_same_thread=False)
        try:
            connection.execute("PRAGMA busy_timeout=5000")
            if self._lock.is_held:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute("PRAGMA secure_delete=ON")  # results of players who were forgotten
            connection.execute("ATTACH ? AS log", (file_uri(self._database.path, "ro"),))
            connection.set_authorizer(_refuse_secrets)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _explain(self, context: ExceptionContext) -> BaseException | None:
        error = context.original_exception
        if errors.error_code(error) in _DAMAGE:
            self._is_suspect = True
            return errors.DatabaseDamagedError(f"{self._path} or its database is damaged: {error}")
        return errors.explain(error, str(self._database.path))


def _refuse_secrets(action: int, table: str | None, column: str | None, *_: object) -> int:
    is_secret = action == sqlite3.SQLITE_READ and (table, column) in _SECRETS
    return sqlite3.SQLITE_DENY if is_secret else sqlite3.SQLITE_OK
