"""Atomic replacement of files: a reader finds the old contents or the new ones, never a mixture.

Server, clients and command line share this module. It is in this package, the lowest package that may use files.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


class ForeignFileError(Exception):
    """An error about a file that contains something unexpected, so that it must not be overwritten."""


def replace_file(path: Path, data: bytes) -> None:
    """Replace the contents of the file at ``path`` with ``data``, and return once they are on the disk.

    Afterwards only the owner of the file can read it.

    Raises:
        OSError: The file cannot be written; it keeps its old contents.
    """
    with replacement(path) as new:
        new.write_bytes(data)


@contextlib.contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """Create an empty file for the `with` block, yield its path, and move it to ``path`` at the end of the block.

    The file is on the disk before it replaces the old one, and only its owner can read it. If the block raises an
    error, the new file is removed and the old one stays.

    Raises:
        OSError: The file cannot be written; it keeps its old contents.
    """
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
    """Return the contents of the file at ``path``, which must begin with one of ``headings``; None if there is no file.

    An empty file is accepted too, because it contains nothing that could be lost.

    Raises:
        ForeignFileError: The file begins with something else.
        OSError: The file cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    if data and not data.startswith(headings):
        expected = " or ".join(repr(heading.decode().strip()) for heading in headings)
        message = f"{path} does not begin with {expected}"
        raise ForeignFileError(message)
    return data
