"""The copy of a PostgreSQL database on this machine, which all processes that need it bring up to date and read."""

from collections.abc import Callable
from threading import Lock

from structlog.stdlib import BoundLogger

from evilpegs_server.storage.location import beside, create_private, database_file
from evilpegs_server.storage.lock import FileLock
from evilpegs_server.storage.mirror import Mirror


class LocalCopy:
    """The copy of the PostgreSQL database at ``url``. Raises DatabaseUnusableError."""

    def __init__(self, url: str, log: BoundLogger | None = None) -> None:
        file = database_file(url)
        create_private(file)
        # two processes cannot make an SQLite database at the same time
        lock = FileLock(beside(url, ".mirror"), waits=True)
        try:
            self.mirror = Mirror(url, file, log)
        finally:
            lock.release()
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
