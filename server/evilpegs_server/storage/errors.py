"""Errors of the database, with one class for each remedy that a user or operator has, and their log.

SQLite reports errors by code. Codes that `explain` does not turn into one of these errors concern a single statement.
"""

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from structlog.stdlib import BoundLogger

from evilpegs_game.errors import EvilpegsError


class DatabaseUnusableError(EvilpegsError):
    """A database that cannot be used; the message is one line that says why and what to do."""


class DatabaseMissingError(DatabaseUnusableError):
    """A database whose file does not exist or is empty."""


class DatabaseInUseError(DatabaseUnusableError):
    """A database whose lock is held by another server."""


class DatabaseMovedError(DatabaseUnusableError):
    """A database whose file was deleted, moved, replaced or cut to nothing while a server used it."""


class DatabaseDamagedError(DatabaseUnusableError):
    """A database with a damaged page, whose other pages can still be read, or with other tables than it must have."""


class DatabaseUnavailableError(DatabaseUnusableError):
    """A database that cannot be used now, for example on a full disk; a later attempt may succeed."""


RESTORE: Final = (
    "stop the server and restore a copy made with `evilpegs database backup`; "
    "`evilpegs database check` says what is damaged"
)
_HINTS: Final[Mapping[int, str]] = {
    sqlite3.SQLITE_BUSY: "another program holds its write lock; end that program",
    sqlite3.SQLITE_LOCKED: "another connection holds its write lock; try again",
    sqlite3.SQLITE_NOMEM: "free some memory",
    sqlite3.SQLITE_READONLY: "make the file and its directory writable",
    sqlite3.SQLITE_IOERR: "check the disk and its free space",
    sqlite3.SQLITE_FULL: "free some space on its disk",
    sqlite3.SQLITE_CANTOPEN: "check that it and its directory are writable, and the limit of open files",
    sqlite3.SQLITE_PROTOCOL: "another program keeps locking it; end that program",
}


def error_code(error: BaseException) -> int | None:
    """Return the primary result code of an SQLite error, also if SQLAlchemy wraps it."""
    code: int | None = getattr(getattr(error, "orig", None) or error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def explain(error: BaseException, database: str) -> DatabaseUnusableError | None:
    """Return the error that explains a failure of the whole database, or None for any other error."""
    code = error_code(error)
    reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
    if code == sqlite3.SQLITE_CORRUPT:
        return DatabaseDamagedError(f"the database {database} is damaged: {reason}; {RESTORE}")
    if code is not None and code in _HINTS:
        return DatabaseUnavailableError(f"the database {database} cannot be used now: {reason}; {_HINTS[code]}")
    return None


QUIET_SECONDS: Final = 1.0
MAX_REASON: Final = 300  # in characters


def first_line(error: Exception) -> str:
    """Return what a log says of an error: its first line, without SQL."""
    return str(error).partition("\n")[0][:MAX_REASON]


class FaultLog:
    """A log of failures, of which many may follow from one cause; ``counts`` has all, by class name."""

    def __init__(self, log: BoundLogger, counts: Counter[str], now: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._counts = counts
        self._now = now
        self._quiet_until = float("-inf")
        self._unsaid = 0

    def report(self, what: str, error: Exception, **facts: Any) -> None:
        self._counts[type(error).__name__] += 1
        now = self._now()
        if now < self._quiet_until:
            self._unsaid += 1
            return
        if self._unsaid:
            facts["others_before"] = self._unsaid
        self._quiet_until, self._unsaid = now + QUIET_SECONDS, 0
        self._log.error(what, error=type(error).__name__, why=first_line(error), **facts)
