"""Private folders, and atomic replacement of files: a reader finds the old contents or the new, never a mixture."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


class ForeignFileError(Exception):
    """A file with unexpected contents, which must not be overwritten."""


def make_private_folder(path: Path) -> None:
    """Make a folder, and those above it, which only their owner can enter; leave existing ones alone."""
    # with `parents`, pathlib gives the mode to the last only
    for folder in reversed((path, *path.parents)):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file, readable by its owner only, and return once it is on the disk; an OSError changes nothing."""
    with replacement(path) as new:
        new.write_bytes(data)


@contextlib.contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """Yield a path whose file, on the disk and readable by its owner only, replaces ``path`` if the block succeeds."""
    if path.exists() and not path.is_file():
        raise FileExistsError(errno.EEXIST, "it is not a file", str(path))  # a device would be gone for the system
    number, name = tempfile.mkstemp(prefix=path.name, suffix=".new", dir=path.parent)
    try:
        os.close(number)
        yield Path(name)
        with Path(name).open("rb") as file:
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise


def read_own_file(path: Path, *headings: bytes) -> bytes | None:
    """Return the contents of a file; raises ForeignFileError if it begins with none of ``headings``."""
    if path.is_fifo():
        raise ForeignFileError(f"{path} is a pipe, not a file")  # to read it would wait for ever
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    # an empty file contains nothing that could be lost
    if data and not data.startswith(headings):
        expected = " or ".join(repr(heading.decode().strip()) for heading in headings)
        raise ForeignFileError(f"{path} does not begin with {expected}")
    return data
