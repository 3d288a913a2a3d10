"""Files that people name on the command line, checked before any work; ``-`` is standard input or output."""

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


def check_name(name: str) -> None:
    """Raise CommandError if a name is empty, or begins with a hyphen as a mistyped option does."""
    if not name:
        raise CommandError("the name of the file is empty; write one, or - for standard input or output")
    if name.startswith("-") and name != STANDARD:
        raise CommandError(f"{name[:200]} stands where a file should; if it is one, write ./{name[:200]}")


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file, such as "a tree"; ``begins`` tests the first line that is neither blank nor a comment."""

    name: str
    begins: Callable[[bytes], bool]


def check_writable(name: str, kind: FileKind | None = None) -> None:
    """Raise CommandError if the file cannot be written, or has another ``kind``; call this before the work."""
    check_name(name)
    if name == STANDARD:
        return
    path = Path(name)
    why = write_obstacle(path)
    if why is not None:
        raise CommandError(f"cannot write {name[:200]}: {why}; choose another file")
    if kind is not None and path.is_file() and not _is_empty_or(kind, path):
        raise CommandError(f"{name[:200]} exists and is not {kind.name}; choose another file")


def _is_empty_or(kind: FileKind, path: Path) -> bool:
    with open_to_read(str(path), "choose another file") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return True
        lines = (line for line in filled_lines(file) if not line.lstrip().startswith(b"#"))
        return kind.begins(next(lines, b""))


def write_obstacle(path: Path) -> str | None:
    """Return the system's reason why a file cannot be written, if one is known; nothing is created or changed."""
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
    return (isinstance(error, OSError) and error.strerror) or "there can be no such file"


def display_name(name: str) -> str:
    return "standard input" if name == STANDARD else name[:200]


def write_text(name: str, text: str) -> None:
    check_name(name)
    if name == STANDARD:
        sys.stdout.write(text)
        return
    try:
        Path(name).write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot write {display_name(name)}: {failure_reason(error)}; choose another file") from None


@contextmanager
def open_to_read(name: str, hint: str) -> Iterator[IO[bytes]]:
    """Open a file, or standard input for ``-``; an error ends with ``hint``, which says what to do."""
    try:
        with nullcontext(_standard_input()) if name == STANDARD else Path(name).open("rb") as file:
            yield file
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot read {display_name(name)}: {failure_reason(error)}; {hint}") from None


def _standard_input() -> IO[bytes]:
    if sys.stdin is None:  # Python's sign that it was closed before the start
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer


def filled_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file that are not blank."""
    # in pieces of this size, so that memory stays bounded; no event of a record is as long
    while line := file.readline(SERVER_FRAME_BYTES + 1):
        if line.strip():
            yield line
