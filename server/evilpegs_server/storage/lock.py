"""The lock that allows one server per database, and the check that the file is still where the server opened it.

The lock is on the database file itself, so it holds for every name of the file: a symbolic link, a hard link, another
path. A lock file beside the database would protect only one name, and somebody can remove it.

SQLite's `fcntl` locks on it belong to the process and are dropped when any descriptor of the file is closed. The
descriptor of the server's lock must therefore be opened before the engine and closed after it, and no other code in a
server opens the file. Only on Linux does `flock` not interact with `fcntl`; elsewhere the lock is on a file beside it.
"""

import fcntl
import os
import sys
from pathlib import Path
from typing import Final

from evilpegs_server.storage.errors import RESTORE, DatabaseInUseError, DatabaseMovedError, DatabaseUnusableError
from evilpegs_server.storage.location import create_private, database_file

# other files may replace the database file meanwhile
_ATTEMPTS: Final = 3
# of the `fcntl` locks of SQLite
FLOCK_IS_INDEPENDENT: Final = sys.platform == "linux"


class FileInPlace:
    """A database file that is expected to stay where it is now. Raises OSError if there is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.identity = identity_of(path)
        self._was_filled = path.stat().st_size > 0

    def check(self) -> None:
        """Raise DatabaseMovedError unless this file is still there and filled. Any thread may call this."""
        remedy = "move it back or restart the server"
        try:
            if identity_of(self.path) == self.identity:
                size = self.path.stat().st_size
                self._was_filled |= size > 0
                if size or not self._was_filled:
                    return
                what, remedy = "was cut to nothing", RESTORE
            else:
                what = "was replaced by another file"
        except FileNotFoundError:
            what = "was moved or deleted"
        except OSError as error:
            what = f"cannot be found: {error.strerror}"
        raise DatabaseMovedError(f"the database {self.path} {what} while the server was using it; {remedy}")


class FileLock:
    """An exclusive lock on a file. Raises BlockingIOError if another process has it."""

    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.descriptor)
            raise

    def release(self) -> None:
        os.close(self.descriptor)


class DatabaseLock:
    """The lock of one server on the database at ``url``, whose file it creates. Raises DatabaseUnusableError."""

    def __init__(self, url: str) -> None:
        self._path = Path(os.path.abspath(database_file(url)))  # noqa: PTH100 - links stay as they are
        self._lock: FileLock | None = None
        try:
            create_private(self._path)
            self._acquire()
        except BlockingIOError:
            message = f"another server is running on {self._path}; stop it or name another with --database"
            raise DatabaseInUseError(message) from None
        except OSError as error:
            self.release()
            hint = "name another with --database sqlite:///FILE"
            raise DatabaseUnusableError(f"cannot use the database {self._path}: {error.strerror}; {hint}") from None

    def _acquire(self) -> None:
        for _ in range(_ATTEMPTS):
            self.release()
            name = str(self._path) if FLOCK_IS_INDEPENDENT else os.path.realpath(self._path) + ".lock"
            self._lock = FileLock(Path(name))
            self._in_place = FileInPlace(self._path)
            if self._in_place.identity == identity_of(self._lock.descriptor) or not FLOCK_IS_INDEPENDENT:
                return

    @property
    def names(self) -> int:
        """The hard links of the file; several are a danger, because SQLite finds its log by the name of the file."""
        return self._path.stat().st_nlink

    def check(self) -> None:
        """Raise DatabaseMovedError unless the path still leads to the locked file. Any thread may call this."""
        self._in_place.check()

    def release(self) -> None:
        """Release the lock; close all connections to the database before."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def identity_of(file: Path | int) -> tuple[int, int]:
    status = os.stat(file)  # noqa: PTH116 - of a path or a descriptor
    return status.st_dev, status.st_ino
