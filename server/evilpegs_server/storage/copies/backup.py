"""Copies of a database that a server may be using, checks of a database or a copy, and copies to read in its place.

Recent commits are in SQLite's log beside the database file, so a copy of the file alone lacks them. SQLite's online
backup reads both files within one read transaction, so that the copy has a single state of the database; in WAL mode
this makes no writer wait. A copy is one file without a log; a server that opens it starts a new log.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import create_engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool
from structlog.stdlib import BoundLogger

from evilpegs_protocol.files import replace_file, replacement
from evilpegs_server.storage.database import engine_of
from evilpegs_server.storage.engines import schema, sqlite
from evilpegs_server.storage.engines.sqlite import SqliteDatabase, check_exists
from evilpegs_server.storage.errors import DatabaseMissingError, DatabaseUnusableError, error_code, explain
from evilpegs_server.storage.location import (
    check_files,
    connect,
    database_file,
    engine_url,
    file_url,
    is_remote,
    side_files,
)
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.log.archive import find_broken_matches
from evilpegs_server.storage.log.tables import REVISION

# database pages of 4 KiB, copied between two reports of progress
PAGES: Final = 2_000
# events verified at once; larger chunks would hold the interpreter lock for too long
CHUNK: Final = 4_000
_MAX_FLAWS: Final = 20
Progress = Callable[[str, int, int], None]
"""Called with the name of an activity, the amount done and the total, in a unit of the activity such as pages."""


@dataclass(frozen=True, slots=True)
class DatabaseCheck:
    """The result of a check; with ``damage``, chains are not checked, and rows that cannot be counted count as 0."""

    bytes: int
    players: int
    matches: int
    open_matches: int
    events: int
    damage: tuple[str, ...]
    broken: tuple[str, ...]  # the ids of matches whose chain of hashes is broken

    @property
    def sound(self) -> bool:
        return not self.damage and not self.broken

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"sound": self.sound}


def backup_database(
    url: str,
    target: Path,
    progress: Progress,
    *,
    overwrite: bool = False,
    others: Collection[tuple[Path, Path]] = (),
) -> DatabaseCheck:
    """Copy the database, and put the copy in place if no page is damaged; then copy ``others``, pairs of paths."""
    source = _existing_file(url)
    _check_replaceable(source, target, overwrite=overwrite)
    if target.exists():
        # fails if a server uses the target
        DatabaseLock(file_url(target)).release()
    for file, copy in others:
        _check_replaceable(file, copy, overwrite=overwrite)
    with explained(source), replacement(target) as new:
        _copy(source, new, progress)
        result = check_database(file_url(new), progress)
        if result.damage:
            message = (
                f"the database {source} is damaged: {result.damage[0]}; nothing was written, keep your older copies"
            )
            raise DatabaseUnusableError(message)
        for path in side_files(target):
            path.unlink(missing_ok=True)  # the log of the file that is replaced; it must not be applied to the copy
    for file, copy in others:
        replace_file(copy, file.read_bytes())
    return result


def check_database(url: str, progress: Progress) -> DatabaseCheck:
    """Check every page, the tables and, unless these are damaged, every chain of hashes, also while a server runs.

    Of a database of PostgreSQL it is the copy on this machine, and the tables of both.
    """
    file = _existing_file(url)
    with explained(file), closing(connect(file)) as connection:
        progress("pages", 0, 1)
        damage = _damaged_places(connection) or SqliteDatabase.flaws(file_url(file))
        if is_remote(url):
            damage += engine_of(url).flaws(url)
        progress("pages", 1, 1)
        players, matches, open_matches, events = (
            _count(connection, rows, ignore_damage=bool(damage))
            for rows in ("players", "matches", "matches WHERE NOT over", "events")
        )
        broken = () if damage else _broken_matches(file, connection, progress)
        size_query = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        (size,) = connection.execute(size_query).fetchone()
    return DatabaseCheck(size, players, matches, open_matches, events, damage, broken)


def _existing_file(url: str) -> Path:
    if (file := database_file(url)).is_dir():
        raise DatabaseMissingError(f"{file} is a directory; name the file of a database")
    check_files(file)
    if not file.is_file():
        raise DatabaseMissingError(f"there is no database at {file}; name the file of a database")
    return file


def _check_replaceable(source: Path, target: Path, *, overwrite: bool) -> None:
    if not target.exists():
        return
    if target.samefile(source):
        raise DatabaseUnusableError(f"{target} is the database itself; name another file")
    if not overwrite:
        raise DatabaseUnusableError(f"{target} exists; name another file, or replace it with --force")
    if not target.is_file():  # a device or a pipe, which even a lock would open
        raise DatabaseUnusableError(f"{target} is not a file; name another one")


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Turn errors of SQLite in the block into a DatabaseUnusableError that names the file."""
    try:
        yield
    except (sqlite3.Error, SQLAlchemyError) as error:
        reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
        message = f"cannot use {file}: {reason}; name a database of evilpegs with sqlite:///FILE"
        raise explain(error, str(file)) or DatabaseUnusableError(message) from None


def revision_in(file: Path) -> str | None:
    """Return the revision of the tables; None if there are none. Raises DatabaseUnusableError for a flaw of them."""
    with explained(file), sqlite.reading_engine(file).connect() as connection:
        sqlite.check_schema(connection, file)
        return schema.revision_of(connection)


def _copy(source: Path, target: Path, progress: Progress) -> None:
    def report(_status: int, remaining: int, total: int) -> None:
        progress("copying", total - remaining, total)

    with closing(connect(source)) as reader, closing(connect(target)) as writer:
        reader.execute("BEGIN")
        reader.execute("SELECT 1 FROM sqlite_master").fetchone()  # the transaction begins with the first read
        reader.backup(writer, pages=PAGES, progress=report)
        reader.rollback()
        writer.execute("PRAGMA journal_mode=DELETE")


def _damaged_places(connection: sqlite3.Connection) -> tuple[str, ...]:
    try:
        lines = [line for (line,) in connection.execute(f"PRAGMA quick_check({_MAX_FLAWS})")]
    except sqlite3.DatabaseError as error:
        if error_code(error) == sqlite3.SQLITE_NOTADB:
            raise
        return (str(error),)
    # the heading "*** in database main ***" says nothing
    parts = [part for line in lines for part in line.splitlines() if not part.startswith("***")]
    return () if parts == ["ok"] else tuple(parts[:_MAX_FLAWS])


def _count(connection: sqlite3.Connection, rows: str, *, ignore_damage: bool) -> int:
    try:
        number: int = connection.execute(f"SELECT count(*) FROM {rows}").fetchone()[0]  # noqa: S608 - as above
    except sqlite3.DatabaseError:
        if not ignore_damage:
            raise
        return 0
    return number


def _broken_matches(file: Path, connection: sqlite3.Connection, progress: Progress) -> tuple[str, ...]:
    engine = create_engine(engine_url(file), poolclass=NullPool, hide_parameters=True)
    # the rowid is the id of an event; the first tables had no column `id`
    last = connection.execute("SELECT max(rowid) FROM events").fetchone()[0] or 0
    broken: set[int] = set()
    for after in range(0, last, CHUNK):
        end = min(after + CHUNK, last)
        broken |= find_broken_matches(engine, after, end)
        progress("hashes", 1000 * end // last, 1000)
    ids = connection.execute("SELECT number, id FROM matches ORDER BY number")
    return tuple(match for number, match in ids if number in broken)


@contextmanager
def readable_database(url: str, log: BoundLogger | None = None) -> Iterator[str]:
    """Yield the URL of the database, or of a private copy for the block. Raises DatabaseUnusableError or OSError.

    Databases of older versions, and those where nothing can be written, cannot be shown in place.
    """
    if is_remote(url):
        yield url
        return
    file = Path(os.path.realpath(check_exists(url)))
    if os.access(file.parent, os.W_OK) and revision_in(file) == REVISION:
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="evilpegs-") as folder:
        copy = Path(folder) / file.name
        if log is not None:
            log.info("showing a private copy of the database", bytes=file.stat().st_size, copy=str(copy))
        copied = file_url(copy)
        try:
            with explained(file):
                _copy_to_read(file, copy)
            SqliteDatabase.open_existing(copied).dispose()
        except DatabaseUnusableError as error:
            raise type(error)(str(error).replace(str(copy), str(file))) from None
        except PermissionError as error:
            raise DatabaseUnusableError(f"cannot read the database {file}: {error.strerror}") from None
        yield copied


def _copy_to_read(file: Path, copy: Path) -> None:
    log, shared = side_files(file)
    if not shared.exists() and not os.access(file.parent, os.W_OK):
        # nobody uses it, and SQLite would have to create the shared file
        shutil.copyfile(file, copy)
        if log.exists():
            shutil.copyfile(log, side_files(copy)[0])
        return
    with closing(connect(file, "ro")) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
