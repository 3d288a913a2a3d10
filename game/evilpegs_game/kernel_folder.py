"""The directory for compiled kernels where neither the installation nor the home can be written.

This is what a service user has. The directory must belong to the user alone, because a process executes what it finds
there.
"""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

FOLDER_VARIABLE: Final = "EVILPEGS_KERNELS"
"""The environment variable that names the directory; commands set it to a directory beside the database."""


def private_folder() -> Path | None:
    """Return the first fallback directory that belongs to this user alone; create it if it is missing.

    It is the directory of EVILPEGS_KERNELS or one in the directory for temporary files. None if neither can be used.
    """
    return next((folder for folder in _fallbacks() if _is_private(folder)), None)


def _fallbacks() -> Iterator[Path]:
    if named := os.environ.get(FOLDER_VARIABLE):
        yield Path(named)
    try:
        yield Path(tempfile.gettempdir(), f"evilpegs-kernels-{os.geteuid()}")
    except OSError:  # there is no directory for temporary files
        return


def _is_private(folder: Path) -> bool:
    """Return whether only this user can write to a directory; create it if it is missing."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return False
    others_may_write = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not others_may_write
