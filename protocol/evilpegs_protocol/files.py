"""Files that are replaced in one step: a reader finds the old contents or the new ones, never a mixture.

Server, clients and command line share this module; it stands in the lowest package that may touch files.
"""

import contextlib
import os
import tempfile
from pathlib import Path


class ForeignFileError(Exception):
    """The file holds something else, so it must not be overwritten."""


def replace_file(path: Path, data: bytes) -> None:
    """Replace the contents of the file with ``data``, which is on the disk when this returns.

    The file is readable by its owner alone.

    Raises:
        OSError: the file cannot be written; the old contents stay.
    """
    number, name = tempfile.mkstemp(prefix=path.name, suffix=".new", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise


def read_own_file(path: Path, heading: bytes) -> bytes | None:
    """Return the contents of a file that begins with ``heading``, or None if there is no file.

    An empty file is returned as it is: nothing in it can be lost.

    Raises:
        ForeignFileError: the file begins with something else.
        OSError: the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    if data and not data.startswith(heading):
        message = f"{path} does not begin with {heading.decode().strip()!r}"
        raise ForeignFileError(message)
    return data
