"""The file that keeps the feed's place in the event log, so that a restarted feed goes on where it ended."""

from contextlib import suppress
from pathlib import Path
from typing import Final

import orjson
from structlog.stdlib import BoundLogger

from evilpegs_protocol.files import ForeignFileError, read_own_file, replace_file
from evilpegs_server.storage.lock import FileLock
from evilpegs_server.storage.log.archive import load_last_event_id, load_log_id
from evilpegs_server.storage.queries import Reader

_HEADING: Final = b'{"log":'


class FeedCursor:
    """The last event that the broker has acknowledged, and the lock of its only publisher; errors are only logged.

    Ids up to ``gone`` are those of before the database was copied again.
    """

    def __init__(self, path: Path, engine: Reader, log: BoundLogger, sent: int | None = None, gone: int = 0) -> None:
        self._path = path
        self._log = log.bind(path=str(path))
        self._log_id, self._first = load_log_id(engine), gone + 1 if gone else 0
        self._is_foreign = self._has_warned = False
        self._lock: FileLock | None = None
        self.is_taken = not self._acquire()
        """True if another process publishes this log."""
        self.position = self._begin(engine, sent)
        self._stored: int | None = None
        self.store()  # at once: a new feed that is killed begins here again

    def store(self) -> None:
        """Write the cursor unless it is stored; this waits for the disk."""
        position = self.position
        if position == self._stored or self.is_taken or self._is_foreign:
            return
        try:
            replace_file(self._path, orjson.dumps({"log": self._log_id, "event": position}) + b"\n")
            self._stored = position
        except OSError as error:
            self._warn(error)

    def close(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _acquire(self) -> bool:
        # the cursor itself is replaced whenever it is written, so it cannot carry the lock
        try:
            self._lock = FileLock(Path(f"{self._path}.lock"))
        except BlockingIOError:
            self._log.warning("another process publishes this database to the MQTT broker; this one publishes nothing")
            return False
        except OSError as error:
            self._warn(error)
        return True

    def _begin(self, engine: Reader, sent: int | None) -> int:
        end = load_last_event_id(engine)
        try:
            data = read_own_file(self._path, _HEADING)
        except (ForeignFileError, OSError) as error:
            self._is_foreign = True
            self._warn(error)
            return end
        if data is None:
            return end if sent is None else sent
        with suppress(orjson.JSONDecodeError, KeyError, TypeError):
            stored = orjson.loads(data)
            if stored["log"] == self._log_id and self._first <= stored["event"] <= end:
                return int(stored["event"])
        self._log.warning("the cursor of the MQTT feed is not of this database; the feed begins with the next event")
        return end

    def _warn(self, error: Exception) -> None:
        if not self._has_warned:
            self._has_warned = True
            fact = "cannot store the cursor of the MQTT feed; after a restart it may publish events again or miss some"
            self._log.warning(fact, why=getattr(error, "strerror", None) or str(error))
