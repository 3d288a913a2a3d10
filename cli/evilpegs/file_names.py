"""The names of files that people give: what is wrong with one is said before the work, not after it."""

import errno
import os
from pathlib import Path
from typing import Final

from evilpegs.errors import CommandError

STANDARD: Final = "-"
"""Standard input or output instead of a file."""


def check_name(name: str) -> None:
    """Refuse an empty name, and a mistyped option where a file is wanted; raises CommandError."""
    if not name:
        message = "the name of the file is empty; write one, or - for standard input or output"
        raise CommandError(message)
    if name.startswith("-") and name != STANDARD:
        message = f"{name[:200]} stands where a file should; if it is one, write ./{name[:200]}"
        raise CommandError(message)


def check_writable(name: str) -> None:
    """Say before the work what would keep the file from being written after it; raises CommandError."""
    check_name(name)
    why = None if name == STANDARD else obstacle(Path(name))
    if why is not None:
        message = f"cannot write {name[:200]}: {why}; choose another file"
        raise CommandError(message)


def obstacle(path: Path) -> str | None:
    """Why no file can be written there, in the system's words; None if nothing is known. Nothing is made or changed."""
    if "\0" in str(path):
        return reason(ValueError())
    try:
        if path.is_dir():
            return os.strerror(errno.EISDIR)
        if not path.parent.is_dir():
            return os.strerror(errno.ENOENT)
        may = os.access(path, os.W_OK) if path.exists() else os.access(path.parent, os.W_OK | os.X_OK)
    except OSError as error:
        return reason(error)
    return None if may else os.strerror(errno.EACCES)


def reason(error: Exception) -> str:
    """Why a file cannot be opened: what the system says, or that its name is none."""
    return (isinstance(error, OSError) and error.strerror) or "there can be no such file"
