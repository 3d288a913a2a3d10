"""Private copies of databases that cannot be shown in place: of older versions, and where nothing can be written."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from structlog.stdlib import BoundLogger

from evilpegs_server.storage.backup import explained, revision_of
from evilpegs_server.storage.database import check_exists, open_existing_database
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.location import connect, is_postgres, side_files
from evilpegs_server.storage.schema import revisions


@contextmanager
def readable_database(url: str, log: BoundLogger | None = None) -> Iterator[str]:
    """Yield the URL of the database, or of an upgraded copy for the block. Raises DatabaseUnusableError or OSError."""
    if is_postgres(url):
        yield url
        return
    file = Path(os.path.realpath(check_exists(url)))
    if os.access(file.parent, os.W_OK) and revision_of(file) == revisions()[0]:
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="evilpegs-") as folder:
        copy = Path(folder) / file.name
        if log is not None:
            log.info("showing a private copy of the database", bytes=file.stat().st_size, copy=str(copy))
        copied = f"sqlite:///{copy}"
        try:
            with explained(file):
                _copy(file, copy)
            open_existing_database(copied).dispose()
        except DatabaseUnusableError as error:
            raise type(error)(str(error).replace(str(copy), str(file))) from None
        except PermissionError as error:
            raise DatabaseUnusableError(f"cannot read the database {file}: {error.strerror}") from None
        yield copied


def _copy(file: Path, copy: Path) -> None:
    log, shared = side_files(file)
    if not shared.exists() and not os.access(file.parent, os.W_OK):
        # nobody uses it, and SQLite would have to create the shared file
        shutil.copyfile(file, copy)
        if log.exists():
            shutil.copyfile(log, side_files(copy)[0])
        return
    with closing(connect(file, "ro")) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
