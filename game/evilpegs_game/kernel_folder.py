"""The directory for compiled kernels if neither the installation nor the home directory can be written.

System users that run services are often in this situation. The directory must belong to the user alone, because a
process executes the files that it finds there.
"""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

FOLDER_VARIABLE: Final = "EVILPEGS_KERNELS"
"""Commands set this environment variable to a directory beside the database."""


def private_folder() -> Path | None:
    """Return a directory that only this user can write, created if missing; None if none can be used."""
    return next((folder for folder in _fallbacks() if _is_private(folder)), None)


def _fallbacks() -> Iterator[Path]:
    if named := os.environ.get(FOLDER_VARIABLE):
        yield Path(named)
    try:
        yield Path(tempfile.gettempdir(), f"evilpegs-kernels-{os.geteuid()}")
    except OSError:  # there is no directory for temporary files
        return


def _is_private(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return False
    others_may_write = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not others_may_write
