"""The derived file: the results, times and luck of finished games, which follow from the event log.

It lies beside the database and may be deleted at any time. A file that is missing, damaged, of another layout or of
another log is made again from the first event on. One process writes it, under a lock; others only read it.
"""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final

from sqlalchemy import Engine, text
from structlog.stdlib import BoundLogger

from evilpegs_server.storage import errors
from evilpegs_server.storage.derived.connections import LAYOUT, NONE, PLACE, Connections, WriterLock
from evilpegs_server.storage.engines.sqlite import empty_side_file
from evilpegs_server.storage.location import database_file, side_files
from evilpegs_server.storage.lock import FileInPlace
from evilpegs_server.storage.log.interface import close_connections

# per transaction: the log's side file grows while a reader stays in one
EVENTS: Final = 5_000
PROGRESS_SECONDS: Final = 3.0

_TABLES: Final = """
    CREATE TABLE place (layout INTEGER NOT NULL, log TEXT NOT NULL, event INTEGER NOT NULL, hash TEXT,
        act INTEGER NOT NULL);
    CREATE TABLE games (match INTEGER NOT NULL, game INTEGER NOT NULL, outcome TEXT, guesses INTEGER,
        elapsed_ms INTEGER, times_ms TEXT, luck INTEGER, curve TEXT, PRIMARY KEY (match, game));
"""
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


class LogCursor:
    """How far the file has followed the log, and how often it went back."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.position = 0
        """The id of the last event whose results are in the file, after `DerivedFile.follow`."""
        self._act = 0
        self.rewinds = 0
        self.share_done = 0.0  # of the log, for people who wait

    def find(self) -> None:
        """Read the place in the file, which another process may have moved."""
        with self._engine.connect() as connection:
            place = connection.execute(PLACE).one()
        self.rewinds += place.event < self.position or place.act != self._act
        self.position, self._act = place.event, place.act

    def advance(self, last: int) -> bool:
        """Derive a batch of events; return False if there is none up to ``last``."""
        with self._engine.begin() as connection:
            limits = {"after": self.position, "last": last, "events": EVENTS}
            end: int | None = connection.execute(_END, limits).scalar()
            if end is None:
                return False
            connection.execute(_NEW_GAMES, limits | {"last": end})
            connection.execute(_MOVE, {"event": end})
        self.position, self.share_done = end, end / last
        return True

    def begin(self) -> None:
        """Make the tables of an empty file."""
        self.position, self.share_done = 0, 0.0
        with self._engine.begin() as connection:
            for statement in filter(str.strip, _TABLES.split(";")):
                connection.execute(text(statement))
            connection.execute(_FIRST_PLACE, {"layout": LAYOUT})


class DerivedFile:
    """The derived file of the database at ``url``; call `follow` on one thread at a time."""

    def __init__(self, url: str, log: BoundLogger | None = None, *, keeps_lock: bool = True) -> None:
        self._log = log
        self._keeps_lock = keeps_lock  # else only during `follow`, so that a server can have it
        self._path = derived_path(url)
        self._lock = WriterLock(self._path.with_name(self._path.name + ".lock"))
        try:
            database = FileInPlace(Path(os.path.abspath(database_file(url))))  # noqa: PTH100 - links stay
        except OSError as error:
            message = f"the database {database_file(url)} cannot be found: {error.strerror}; name another"
            raise errors.DatabaseMovedError(message) from None
        self._file = Connections(self._path, database, self._lock)
        self.engine = self._file.engine
        self.cursor = LogCursor(self.engine)
        self._writing, self._has_remains, self._told = Lock(), False, 0

    @property
    def is_writer(self) -> bool:
        return self._lock.is_held

    @property
    def begun(self) -> int:
        """How often the file was begun again."""
        return self._file.changes + self.cursor.rewinds

    def follow(self, last: int, is_stopped: Callable[[], bool] = lambda: False) -> bool:
        """Derive what the events up to ``last`` say; return True if sums over earlier results no longer hold."""
        self.prepare()
        if self.is_writer:
            self._amend()
        self.cursor.find()
        said_at = monotonic()
        while self.is_writer and not is_stopped() and self._advance(last):
            if self._log is not None and monotonic() > said_at + PROGRESS_SECONDS:
                said_at = monotonic()
                self._log.info("deriving results from the events", done=f"{self.cursor.share_done:.0%}")
        self.cursor.share_done = 1.0
        if not self._keeps_lock:
            self._lock.release()
        told, self._told = self._told, self.begun
        return self.begun > told

    def _advance(self, last: int) -> bool:
        with self._writing:
            return self.cursor.advance(last)

    def store_luck(self, measured: list[tuple[int, str, int, int]]) -> None:
        """Store rows of luck in millionths of a guess, bad luck positive, the hash of the curve, match and game."""
        with self._writing, self.engine.begin() as connection:
            rows = [dict(zip(("luck", "curve", "match", "game"), row, strict=True)) for row in measured]
            connection.execute(_SET_LUCK, rows)

    def close(self) -> None:
        close_connections(self.engine)
        self._lock.release()

    def _amend(self) -> None:
        with self._writing, self.engine.begin() as connection:
            if connection.execute(_NOTE_ACT).rowcount:
                connection.execute(_FORGET)
                self._has_remains = True
        if self._has_remains:
            self._has_remains = not empty_side_file(self.engine)

    def prepare(self) -> None:
        """Replace the file if it does not fit the log. Raises DatabaseUnusableError."""
        for path in (self._path, self._lock.path, *side_files(self._path)):
            if path.exists() and not path.is_file():
                raise errors.DatabaseUnusableError(f"{path} is not a file, and results go there; move it away")
        if self._lock.acquire():
            close_connections(self.engine)  # which are for reading only
        if (why := self._file.flaw()) is None:
            return
        if not self.is_writer:
            raise errors.DatabaseUnavailableError(f"{self._path} is being made by another process; try again soon")
        if self._log is not None and why != NONE:
            self._log.info("results are derived from the events again", why=why)
        self._file.replace()
        self.cursor.begin()
