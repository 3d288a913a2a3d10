"""The record of a match in a file: one event a line, each a JSON object.

The names of files that people give: what is wrong with one is said before the work, not after it.

A strategy tree in a file, in the form of docs/trees.md.
"""

import errno
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any, Final

from evilpegs.errors import CommandError
from evilpegs_game.errors import GameError
from evilpegs_game.trees.tree import MAX_TREE_CHARACTERS, Tree, format_tree, parse_tree
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.limits import SERVER_FRAME_BYTES
from evilpegs_protocol.server_messages import MatchStarted

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


HOW_TO: Final = "write one with: evilpegs replay MATCH --record FILE"


def read_record(name: str) -> tuple[MatchStarted, list[dict[str, Any]]]:
    """The first event of a record, and all events as they stand in the file.

    Raises:
        CommandError: a line is not a JSON object, or the first does not begin a match.
    """
    check_name(name)
    events: list[dict[str, Any]] = []
    started: MatchStarted | None = None
    with _opened(name) as file:
        for number, line in enumerate(_lines(file), 1):
            events.append(_object(name, number, line))
            started = started or _start(name, events[0], line.decode())
    if started is None:
        raise _no_record(name, "it is empty")
    return started, events


def write_record(name: str, events: Sequence[str]) -> None:
    """Write events, given as JSON, to a file; raises CommandError where that cannot be done."""
    check_name(name)
    text = "".join(event + "\n" for event in events)
    if name == STANDARD:
        sys.stdout.write(text)
        return
    try:
        Path(name).write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        message = f"cannot write {_shown(name)}: {reason(error)}; choose another file"
        raise CommandError(message) from None


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    try:
        with nullcontext(_standard_input()) if name == STANDARD else Path(name).open("rb") as file:
            yield file
    except (OSError, ValueError) as error:
        message = f"cannot read {_shown(name)}: {reason(error)}; {HOW_TO}"
        raise CommandError(message) from None


def _standard_input() -> IO[bytes]:
    if sys.stdin is None:  # Python's way to say that it was closed before the start
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """The lines that are not empty, none read further than an event may be long."""
    while line := file.readline(SERVER_FRAME_BYTES + 1):
        if line.strip():
            yield line


def _object(name: str, number: int, line: bytes) -> dict[str, Any]:
    """The object in a line, if it can be read in one way only."""
    try:
        value = json.loads(line.decode(), object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _no_record(name, f"line {number} is not a JSON object")
    return value


def _start(name: str, event: dict[str, Any], line: str) -> MatchStarted:
    if event.get("type") != "match_started":
        raise _no_record(name, "it does not begin with match_started")
    try:
        started = decode_record_event(line)
    except CodecError as error:
        raise _no_record(name, f"line 1 is not an event of a match: {error}") from None
    assert isinstance(started, MatchStarted)  # noqa: S101 - its type says so
    return started


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        message = "a key occurs twice"
        raise ValueError(message)
    return value


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _no_record(name: str, why: str) -> CommandError:
    return CommandError(f"{_shown(name)} is not the record of a match: {why}; {HOW_TO}")


def _shown(name: str) -> str:
    return "standard input" if name == STANDARD else name[:200]


def read_tree(name: str) -> Tree:
    """The tree in a file.

    Raises:
        CommandError: it cannot be read, or a line of it is wrong; the message names the first.
    """
    data = _read(name, MAX_TREE_CHARACTERS + 1)
    try:
        return parse_tree(data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{shown(name)}: line {line}: this is not text (UTF-8)"
        raise CommandError(message) from None
    except GameError as error:
        message = f"{shown(name)}: {error}"
        raise CommandError(message) from None


def write_tree(name: str, tree: Tree) -> None:
    """Write a tree to a file; raises CommandError where that cannot be done."""
    check_name(name)
    text = format_tree(tree)
    if name == STANDARD:
        sys.stdout.write(text)
        return
    try:
        Path(name).write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        message = f"cannot write {shown(name)}: {reason(error)}; choose another file"
        raise CommandError(message) from None


def shown(name: str) -> str:
    """What a file is called in messages."""
    return "standard input" if name == STANDARD else name[:200]


def _read(name: str, most: int) -> bytes:
    """What is in the file, at most so many bytes of it."""
    check_name(name)
    try:
        if name == STANDARD:
            return b"" if sys.stdin is None else sys.stdin.buffer.read(most)
        with Path(name).open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:
        message = f"cannot read {shown(name)}: {reason(error)}; write a tree with: evilpegs tree STRATEGY --out FILE"
        raise CommandError(message) from None
