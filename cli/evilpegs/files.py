"""Files that people name on the command line, with `-` for standard input and output.

An error in a name is reported before any work is done.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from evilpegs.errors import CommandError
from evilpegs_protocol.limits import SERVER_FRAME_BYTES

STANDARD: Final = "-"
"""The name that stands for standard input or output."""


def check_name(name: str) -> None:
    """Raise CommandError if the name of a file is empty, or begins with a hyphen as a mistyped option does.

    The name ``-`` alone is allowed: it stands for standard input or output.
    """
    if not name:
        message = "the name of the file is empty; write one, or - for standard input or output"
        raise CommandError(message)
    if name.startswith("-") and name != STANDARD:
        message = f"{name[:200]} stands where a file should; if it is one, write ./{name[:200]}"
        raise CommandError(message)


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file that a command writes, such as "a tree", and the test that recognizes files of this kind.

    ``name`` is the name of the kind with its article. ``begins`` is called with the first line of a file that is
    neither blank nor a comment, and returns True if the file is of this kind.
    """

    name: str
    begins: Callable[[bytes], bool]


def check_writable(name: str, kind: FileKind | None = None) -> None:
    """Raise CommandError if the file ``name`` could not be written; call this before work whose result goes there.

    With ``kind``, an existing file of another kind is an error too. An empty file belongs to every kind. Standard
    output, ``-``, can always be written.
    """
    check_name(name)
    if name == STANDARD:
        return
    path = Path(name)
    why = write_obstacle(path)
    if why is not None:
        message = f"cannot write {name[:200]}: {why}; choose another file"
        raise CommandError(message)
    if kind is not None and path.is_file() and not _is_empty_or(kind, path):
        message = f"{name[:200]} exists and is not {kind.name}; choose another file"
        raise CommandError(message)


def _is_empty_or(kind: FileKind, path: Path) -> bool:
    with open_to_read(str(path), "choose another file") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return True
        lines = (line for line in filled_lines(file) if not line.lstrip().startswith(b"#"))
        return kind.begins(next(lines, b""))


def write_obstacle(path: Path) -> str | None:
    """Return the reason why a file cannot be written, in the words of the system, or None if no reason is known.

    Nothing is created or changed.
    """
    if "\0" in str(path):
        return failure_reason(ValueError())
    try:
        if path.is_dir():
            return os.strerror(errno.EISDIR)
        if not path.parent.is_dir():
            return os.strerror(errno.ENOENT)
        may_write = os.access(path, os.W_OK) if path.exists() else os.access(path.parent, os.W_OK | os.X_OK)
    except OSError as error:
        return failure_reason(error)
    return None if may_write else os.strerror(errno.EACCES)


def failure_reason(error: Exception) -> str:
    """Return the reason why a file cannot be opened, given ``error``, the exception that opening it has raised."""
    return (isinstance(error, OSError) and error.strerror) or "there can be no such file"


def display_name(name: str) -> str:
    """Return the name of a file for messages: ``-`` becomes "standard input", and a long name is cut."""
    return "standard input" if name == STANDARD else name[:200]


def write_text(name: str, text: str) -> None:
    """Write ``text`` to the file ``name`` in UTF-8, or to standard output if ``name`` is ``-``.

    Raises:
        CommandError: the name is empty or looks like an option, or the file cannot be written.
    """
    check_name(name)
    if name == STANDARD:
        sys.stdout.write(text)
        return
    try:
        Path(name).write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        message = f"cannot write {display_name(name)}: {failure_reason(error)}; choose another file"
        raise CommandError(message) from None


@contextmanager
def open_to_read(name: str, hint: str) -> Iterator[IO[bytes]]:
    """Open the file ``name``, or standard input if ``name`` is ``-``, to read bytes during the block.

    Raises:
        CommandError: the file cannot be opened or read; the message ends with ``hint``, which says what to do.
    """
    try:
        with nullcontext(_standard_input()) if name == STANDARD else Path(name).open("rb") as file:
            yield file
    except (OSError, ValueError) as error:
        message = f"cannot read {display_name(name)}: {failure_reason(error)}; {hint}"
        raise CommandError(message) from None


def _standard_input() -> IO[bytes]:
    if sys.stdin is None:  # Python's sign that it was closed before the start
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer


def filled_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file that are not blank.

    A line of more than `SERVER_FRAME_BYTES` is yielded in pieces, so that memory stays bounded. No event of a record is
    as long.
    """
    while line := file.readline(SERVER_FRAME_BYTES + 1):
        if line.strip():
            yield line
