"""Private copies of databases that cannot be shown in place: of older versions, and where nothing can be written."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from structlog.stdlib import BoundLogger

from evilpegs_server.storage.database import newest_revision, open_existing_database
from evilpegs_server.storage.location import database_file, side_files


@contextmanager
def readable_database(url: str, log: BoundLogger) -> Iterator[str]:
    """Yield the URL of the database, or of a copy of it that is upgraded, and removed after the block.

    Raises DatabaseUnusableError, or OSError if the temporary directory is full.
    """
    file = Path(os.path.realpath(database_file(url)))
    if not file.exists() or (os.access(file.parent, os.W_OK) and _revision(file) == newest_revision()):
        open_existing_database(url).dispose()  # for the errors
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="evilpegs-") as folder:
        copy = Path(folder) / file.name
        log.info("showing a private copy of the database", bytes=file.stat().st_size, copy=str(copy))
        _copy(file, copy)
        copied = f"sqlite:///{copy}"
        open_existing_database(copied).dispose()
        yield copied


def _copy(file: Path, copy: Path) -> None:
    # without its side file, a database in WAL mode can be read in a folder without the right to write only like this
    mode = "mode=ro" if side_files(file)[0].exists() or os.access(file.parent, os.W_OK) else "immutable=1"
    with (
        closing(sqlite3.connect(f"file:{quote(str(file))}?{mode}", uri=True)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)


def _revision(file: Path) -> str | None:
    with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)) as connection:
        try:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        except sqlite3.DatabaseError:
            return None
        return None if row is None else str(row[0])
