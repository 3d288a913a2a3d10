"""Functions that copy a database while a server uses it, and that check a database or a copy.

Recent commits are in SQLite's log beside the database file, so a copy of the file alone lacks them. SQLite's online
backup reads both files. It runs within one read transaction, so that the copy has a single state of the database; in
WAL mode this transaction makes no writer wait. A copy is one file without a log; a server that opens it begins a new
log.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from evilpegs_protocol.files import replace_file, replacement
from evilpegs_server.storage.chains import verify_chains
from evilpegs_server.storage.errors import DatabaseMissingError, DatabaseUnusableError, error_code, explain
from evilpegs_server.storage.location import database_file, engine_url, side_files
from evilpegs_server.storage.lock import DatabaseLock

PAGES: Final = 2_000
"""The number of database pages, of 4 KiB each, that are copied between two reports of progress."""
_MAX_FLAWS: Final = 20
"""The largest number of damaged places that a check lists."""
_NO_FILES: Final[Mapping[Path, Path]] = MappingProxyType({})
Progress = Callable[[str, int, int], None]
"""A function that is called with the name of the current activity, the amount done and the total amount.

Each activity has its own unit of amounts, such as pages of the database or thousandths.
"""


@dataclass(frozen=True, slots=True)
class DatabaseCheck:
    """The result of a database check.

    ``bytes`` is the size of the database, and ``players``, ``matches``, ``open_matches`` and ``events`` are numbers of
    rows. In a damaged database, a number that cannot be counted is 0. ``damage`` has a line for each damaged place of
    the file, at most 20. ``broken`` has the ids of the matches whose chain of hashes is broken; it is empty if the file
    is damaged, because the chains are then not checked.
    """

    bytes: int
    players: int
    matches: int
    open_matches: int
    events: int
    damage: tuple[str, ...]
    broken: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """True if no page of the file is damaged and no match has a broken chain of hashes."""
        return not self.damage and not self.broken

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object with all fields of the check and ``sound``."""
        return asdict(self) | {"sound": self.sound}


def backup_database(
    url: str,
    target: Path,
    progress: Progress,
    *,
    overwrite: bool = False,
    others: Mapping[Path, Path] = _NO_FILES,
) -> DatabaseCheck:
    """Copy the database at ``url`` to the file ``target``, check the copy, and return the result of the check.

    Only the owner can read the copy. It appears at ``target`` in one step, when it is complete and none of its pages is
    damaged. Matches whose hashes are broken are copied as they are. Afterwards small files such as the server key are
    copied: ``others`` maps the path of each file to the path of its copy. Existing files are replaced only if
    ``overwrite`` is True. ``progress`` is called with the name of an activity, the amount done and the total amount.

    Raises:
        DatabaseUnusableError: there is no database, it is damaged, or a target is in use or must not be overwritten.
        OSError: a target cannot be written, or a file of ``others`` cannot be read.
    """
    source = _existing_file(url)
    _check_target(source, target, overwrite=overwrite)
    for file, copy in others.items():
        _check_replaceable(file, copy, overwrite=overwrite)
    with _explained(source), replacement(target) as new:
        _copy(source, new, progress)
        result = check_database(f"sqlite:///{new}", progress)
        if result.damage:
            message = (
                f"the database {source} is damaged: {result.damage[0]}; nothing was written, keep your older copies"
            )
            raise DatabaseUnusableError(message)
        for path in side_files(target):
            path.unlink(missing_ok=True)  # the log of the file that is replaced; it must not be applied to the copy
    for file, copy in others.items():
        replace_file(copy, file.read_bytes())
    return result


def check_database(url: str, progress: Progress) -> DatabaseCheck:
    """Check every page and every chain of hashes of the database at ``url``, which a server may be using.

    The check changes nothing. If a page is damaged, the chains are not checked. ``progress`` is called with the name of
    an activity, the amount done and the total amount.

    Raises:
        DatabaseUnusableError: there is no database, or it cannot be opened.
    """
    file = _existing_file(url)
    with _explained(file), closing(_connect(file)) as connection:
        progress("pages", 0, 1)
        damage = _damaged_places(connection)
        progress("pages", 1, 1)
        counts = _count_rows(connection, ignore_damage=bool(damage))
        broken = () if damage else _broken_matches(file, connection, progress)
        size = _pragma(connection, "page_count") * _pragma(connection, "page_size")
    return DatabaseCheck(size, *counts, damage, broken)


def _existing_file(url: str) -> Path:
    file = database_file(url)
    if not file.is_file():
        what = f"{file} is a directory" if file.is_dir() else f"there is no database at {file}"
        message = f"{what}; name the file of a database"
        raise DatabaseMissingError(message)
    return file


def _check_target(source: Path, target: Path, *, overwrite: bool) -> None:
    """Raise DatabaseUnusableError if a server uses ``target``, or if it exists and must not be overwritten.

    ``source`` is the file to copy; it must not be overwritten in any case.
    """
    if target.exists():
        _check_replaceable(source, target, overwrite=overwrite)
        DatabaseLock(f"sqlite:///{target}").release()


def _check_replaceable(source: Path, target: Path, *, overwrite: bool) -> None:
    """Raise DatabaseUnusableError if ``target`` is the same file as ``source``, or exists without ``overwrite``."""
    if not target.exists():
        return
    if target.samefile(source):
        message = f"{target} is the file itself that is to be copied; name another file"
        raise DatabaseUnusableError(message)
    if not overwrite:
        message = f"{target} exists; name another file, or replace it with --force"
        raise DatabaseUnusableError(message)


def _connect(file: Path) -> sqlite3.Connection:
    url = engine_url(file)
    return sqlite3.connect(f"{url.database}?mode=rw", uri=True, isolation_level=None)


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    """Turn an error of SQLite within the block into a DatabaseUnusableError that explains it in one line.

    ``file`` is the database that the message names.
    """
    try:
        yield
    except (sqlite3.Error, SQLAlchemyError) as error:
        reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
        message = f"cannot use {file}: {reason}; name a database of evilpegs with sqlite:///FILE"
        raise explain(error, str(file)) or DatabaseUnusableError(message) from None


def _copy(source: Path, target: Path, progress: Progress) -> None:
    def report(_status: int, remaining: int, total: int) -> None:
        progress("copying", total - remaining, total)

    with closing(_connect(source)) as reader, closing(_connect(target)) as writer:
        reader.execute("BEGIN")
        reader.execute("SELECT 1 FROM events LIMIT 1").fetchone()  # the transaction begins with the first read
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
    return () if lines == ["ok"] else tuple(part for line in lines for part in line.splitlines())[:_MAX_FLAWS]


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value


def _count_rows(connection: sqlite3.Connection, *, ignore_damage: bool) -> tuple[int, int, int, int]:
    """Return the numbers of players, matches, open matches and events, in this order.

    A number that cannot be counted is 0 if ``ignore_damage`` is True; otherwise the error of SQLite is raised.
    """
    queries = ("players", "matches", "matches WHERE NOT over", "events")

    def count(query: str) -> int:
        try:
            number: int = connection.execute(f"SELECT count(*) FROM {query}").fetchone()[0]  # noqa: S608 - as above
        except sqlite3.DatabaseError:
            if not ignore_damage:
                raise
            return 0
        return number

    players, matches, open_matches, events = map(count, queries)
    return players, matches, open_matches, events


def _broken_matches(file: Path, connection: sqlite3.Connection, progress: Progress) -> tuple[str, ...]:
    engine = _engine(file)
    broken: set[int] = set()
    for done, numbers in verify_chains(engine):
        progress("hashes", done, 1000)
        broken |= numbers
    engine.dispose()
    ids = connection.execute("SELECT number, id FROM matches ORDER BY number")
    return tuple(match for number, match in ids if number in broken)


def _engine(file: Path) -> Engine:
    return create_engine(engine_url(file), poolclass=NullPool, hide_parameters=True)
