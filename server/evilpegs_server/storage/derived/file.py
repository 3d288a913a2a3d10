"""The derived file: the results, times and luck of finished games, which follow from the event log.

It lies beside the database and may be deleted at any time. A file that is missing, damaged, of another layout or of
another log is made again from the first event on. One process writes it, under a lock; others only read it.

Every connection has the database as ``log`` beside it, read-only, so queries may name the tables of both. Columns from
which the secrets of open games follow cannot be read.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final

from sqlalchemy import ExceptionContext, create_engine, event, text
from sqlalchemy.pool import QueuePool
from structlog.stdlib import BoundLogger

from evilpegs_server.storage import errors
from evilpegs_server.storage.engines.sqlite import empty_side_file
from evilpegs_server.storage.location import create_private, database_file, file_uri, side_files
from evilpegs_server.storage.lock import FileInPlace, FileLock, identity_of

LAYOUT: Final = 2
# per transaction: the log's side file grows while a reader stays in one
EVENTS: Final = 5_000
PROGRESS_SECONDS: Final = 3.0
_QUICK_CHECK: Final = text("PRAGMA main.quick_check(1)")
_NONE: Final = "there are none yet"
_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SECRETS: Final = frozenset({("matches", "seed"), ("begun", "client_nonce"), ("players", "token_hash")})

_TABLES: Final = """
    CREATE TABLE place (layout INTEGER NOT NULL, log TEXT NOT NULL, event INTEGER NOT NULL, hash TEXT,
        act INTEGER NOT NULL);
    CREATE TABLE games (match INTEGER NOT NULL, game INTEGER NOT NULL, outcome TEXT, guesses INTEGER,
        elapsed_ms INTEGER, times_ms TEXT, luck INTEGER, curve TEXT, PRIMARY KEY (match, game));
"""
_PLACE: Final = text("""
    SELECT layout, event, act, log = (SELECT id FROM log.log)
        AND (event = 0 OR hash IS (SELECT hash FROM log.events WHERE id = event)) AS is_of_this_log
    FROM main.place
""")
_END: Final = text("""
    SELECT max(id) FROM (SELECT id FROM log.events WHERE id > :after AND id <= :last ORDER BY id LIMIT :events)
""")
# the answered guesses of a game are the events right before its end
_NEW_GAMES: Final = text("""
    INSERT OR REPLACE INTO main.games (match, game, outcome, guesses, elapsed_ms, times_ms, luck, curve)
    SELECT e.match, e.game, json_extract(e.json, '$.outcome'), e.guesses, json_extract(e.json, '$.elapsed_ms'),
        coalesce((SELECT group_concat(json_extract(f.json, '$.took_ms')) FROM log.events AS f
            WHERE f.match = e.match AND f.seq BETWEEN e.seq - e.guesses AND e.seq - 1
            AND f.type = 'feedback' AND json_valid(f.json)), ''),
        known.luck, known.curve
    FROM (
        SELECT match, seq, json, json_extract(json, '$.game') AS game, json_extract(json, '$.guesses') AS guesses
        FROM log.events WHERE id > :after AND id <= :last AND type = 'game_over' AND json_valid(json)
    ) AS e LEFT JOIN log.luck AS known ON known.match = e.match AND known.game = e.game
    WHERE e.game IS NOT NULL
""")
_MOVE: Final = text("UPDATE main.place SET event = :event, hash = (SELECT hash FROM log.events WHERE id = :event)")
# of those that change what is shown of earlier matches
_LAST_ACT: Final = "(SELECT coalesce(max(id), 0) FROM log.acts WHERE act IN ('hide', 'show', 'rename', 'forget'))"
_FIRST_PLACE: Final = text(f"INSERT INTO main.place SELECT :layout, id, 0, NULL, {_LAST_ACT} FROM log.log")  # noqa: S608
_NOTE_ACT: Final = text(f"UPDATE main.place SET act = {_LAST_ACT} WHERE act <> {_LAST_ACT}")  # noqa: S608
_FORGET: Final = text("DELETE FROM main.games WHERE match NOT IN (SELECT number FROM log.matches)")
_SET_LUCK: Final = text("UPDATE main.games SET luck = :luck, curve = :curve WHERE match = :match AND game = :game")


def derived_path(url: str) -> Path:
    """Return the file beside the database at ``url``, such as ``games.sqlite3.derived``."""
    file = Path(os.path.realpath(database_file(url)))
    return file.with_name(file.name + ".derived")


class DerivedFile:
    """The derived file of the database at ``url``; call `follow` on one thread at a time."""

    def __init__(self, url: str, log: BoundLogger | None = None, *, keeps_lock: bool = True) -> None:
        self._log = log
        self._keeps_lock = keeps_lock  # else only during `follow`, so that a server can have it
        self._file = derived_path(url)
        self._lock_path = self._file.with_name(self._file.name + ".lock")
        try:
            self._database = FileInPlace(Path(os.path.abspath(database_file(url))))  # noqa: PTH100 - links stay
        except OSError as error:
            message = f"the database {database_file(url)} cannot be found: {error.strerror}; name another"
            raise errors.DatabaseMovedError(message) from None
        self._lock: FileLock | None = None
        self._identity: tuple[int, int] | None = None
        self._is_suspect = self._has_remains = False
        self.position = 0
        """The id of the last event whose results are in the file, after `follow`."""
        self._writing = Lock()
        self.begun = 0  # how often the file was begun again
        self._told = self._act = 0
        self.share_done = 0.0  # of the log, for people who wait
        self.engine = create_engine(
            "sqlite://", creator=self._connect, poolclass=QueuePool, pool_size=4, hide_parameters=True
        )
        event.listen(self.engine, "handle_error", self._explain, retval=True)
        event.listen(self.engine, "checkout", lambda *_: self._database.check())

    @property
    def is_writer(self) -> bool:
        return self._lock is not None

    def follow(self, last: int, is_stopped: Callable[[], bool] = lambda: False) -> bool:
        """Derive what the events up to ``last`` say; return True if sums over earlier results no longer hold."""
        self.prepare()
        if self.is_writer:
            self._amend()
        with self.engine.connect() as connection:
            place = connection.execute(_PLACE).one()
        self.begun += place.event < self.position or place.act != self._act
        self.position, self._act = place.event, place.act
        said_at = monotonic()
        while self.is_writer and not is_stopped() and self._advance(last):
            self.share_done = self.position / last
            if self._log is not None and monotonic() > said_at + PROGRESS_SECONDS:
                said_at = monotonic()
                self._log.info("deriving results from the events", done=f"{self.share_done:.0%}")
        self.share_done = 1.0
        if not self._keeps_lock:
            self._unlock()
        told, self._told = self._told, self.begun
        return self.begun > told

    def store_luck(self, measured: list[tuple[int, str, int, int]]) -> None:
        """Store rows of luck in millionths of a guess, bad luck positive, the hash of the curve, match and game."""
        with self._writing, self.engine.begin() as connection:
            rows = [dict(zip(("luck", "curve", "match", "game"), row, strict=True)) for row in measured]
            connection.execute(_SET_LUCK, rows)

    def close(self) -> None:
        self.engine.dispose()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _amend(self) -> None:
        with self._writing, self.engine.begin() as connection:
            if connection.execute(_NOTE_ACT).rowcount:
                connection.execute(_FORGET)
                self._has_remains = True
        if self._has_remains:
            self._has_remains = not empty_side_file(self.engine)

    def _advance(self, last: int) -> bool:
        with self._writing, self.engine.begin() as connection:
            limits = {"after": self.position, "last": last, "events": EVENTS}
            end: int | None = connection.execute(_END, limits).scalar()
            if end is None:
                return False
            connection.execute(_NEW_GAMES, limits | {"last": end})
            connection.execute(_MOVE, {"event": end})
        self.position = end
        return True

    def prepare(self) -> None:
        """Replace the file if it does not fit the log. Raises DatabaseUnusableError."""
        for path in (self._file, self._lock_path, *side_files(self._file)):
            if path.exists() and not path.is_file():
                raise errors.DatabaseUnusableError(f"{path} is not a file, and results go there; move it away")
        if not self.is_writer:
            self._try_lock()
        why = self._flaw()
        if why is None:
            return
        if not self.is_writer:
            raise errors.DatabaseUnavailableError(f"{self._file} is being made by another process; try again soon")
        self._begin(why)

    def _flaw(self) -> str | None:
        before, self._identity = self._identity, None
        with suppress(FileNotFoundError):
            self._identity = identity_of(self._file)
        if self._identity != before:
            self.engine.dispose()  # its connections are to the file of before
            if before is not None:
                self.begun += 1
                if self.is_writer:
                    return "the file was moved, deleted or replaced"
        if self._identity is None:
            return _NONE
        if not os.access(self._file, os.R_OK | os.W_OK if self.is_writer else os.R_OK):
            return "the file belongs to another user"
        return self._flaw_of_content()

    def _flaw_of_content(self) -> str | None:
        try:
            with self.engine.connect() as connection:
                if self._is_suspect and connection.execute(_QUICK_CHECK).scalar() != "ok":
                    return "the file is damaged"
                place = connection.execute(_PLACE).one_or_none()
        except errors.DatabaseDamagedError:
            return "the file is damaged"
        except Exception as error:
            if errors.error_code(error) != sqlite3.SQLITE_ERROR:
                raise
            place = None  # there are no tables
        self._is_suspect = False
        if place is None:
            return _NONE
        if place.layout != LAYOUT:
            return "they are those of another version"
        return None if place.is_of_this_log else "they are those of another database"

    def _begin(self, why: str) -> None:
        if self._log is not None and why != _NONE:
            self._log.info("results are derived from the events again", why=why)
        for path in (self._file, *side_files(self._file)):
            path.unlink(missing_ok=True)
        create_private(self._file)
        self._identity = identity_of(self._file)
        self.engine.dispose()
        self._is_suspect, self.position = False, 0
        self.begun += 1
        self.share_done = 0.0
        with self.engine.begin() as connection:
            for statement in filter(str.strip, _TABLES.split(";")):
                connection.execute(text(statement))
            connection.execute(_FIRST_PLACE, {"layout": LAYOUT})

    def _try_lock(self) -> None:
        try:
            self._lock = FileLock(self._lock_path)
        except BlockingIOError:
            return
        except PermissionError:
            self._lock_path.unlink()  # of another user, such as root, in a folder of ours
            self._lock = FileLock(self._lock_path)
        self.engine.dispose()  # its connections are for reading only

    def _connect(self) -> sqlite3.Connection:
        self._database.check()  # SQLite deletes the side file of one that was cut to nothing
        mode = "rw" if self.is_writer else "ro"
        connection = sqlite3.connect(file_uri(self._file, mode), uri=True, check_same_thread=False)
        try:
            connection.execute("PRAGMA busy_timeout=5000")
            if self.is_writer:
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
            return errors.DatabaseDamagedError(f"{self._file} or its database is damaged: {error}")
        return errors.explain(error, str(self._database.path))


def _refuse_secrets(action: int, table: str | None, column: str | None, *_: object) -> int:
    is_secret = action == sqlite3.SQLITE_READ and (table, column) in _SECRETS
    return sqlite3.SQLITE_DENY if is_secret else sqlite3.SQLITE_OK
