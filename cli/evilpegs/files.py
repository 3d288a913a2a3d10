"""Files that people name on the command line, checked before any work; ``-`` is standard input or output."""

import csv
import errno
import io
import json
import os
import re
import stat
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from evilpegs.errors import CommandError
from evilpegs_clients.printable import printable
from evilpegs_clients.strategies.tree_strategy import tree_text
from evilpegs_game.errors import GameError
from evilpegs_game.trees.adversary import ADVERSARY_TITLE, AdversaryTree, parse_tree_or_adversary
from evilpegs_game.trees.tree import MAX_TREE_CHARACTERS, TITLE, Tree
from evilpegs_protocol.codec import CodecError, JsonError, decode_record_event, parse_event_text
from evilpegs_protocol.constants import SERVER_FRAME_BYTES
from evilpegs_protocol.server_messages import MatchStarted
from evilpegs_protocol.text_files import NotTextError, decode_text

STANDARD: Final = "-"


def check_file_name(name: str) -> None:
    """Raise CommandError if a name is empty, or begins with a hyphen as a mistyped option does."""
    if not name:
        raise CommandError("the name of the file is empty; write one, or - for standard input or output")
    if name.startswith("-") and name != STANDARD:
        raise CommandError(f"{name[:200]} looks like an option; for a file of that name write ./{name[:200]}")


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file, such as "a tree"; ``begins`` tests the first line that is neither blank nor a comment."""

    name: str
    begins: Callable[[bytes], bool]


def check_writable(name: str, kind: FileKind | None = None) -> None:
    """Raise CommandError if the file cannot be written, or has another ``kind``; call this before the work."""
    check_file_name(name)
    if name == STANDARD:
        return
    if re.match(r"[a-z0-9+]+://", name):  # which may have a password
        raise CommandError("a file is wanted here, not an address; --database and --server take addresses")
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
        # `is_dir` and `exists` hide some errors, in Python 3.14 all of them
        if stat.S_ISDIR(path.stat().st_mode):
            return os.strerror(errno.EISDIR)
        may_write = os.access(path, os.W_OK)
    except (FileNotFoundError, NotADirectoryError):
        if not path.parent.is_dir():
            return os.strerror(errno.ENOENT)
        may_write = os.access(path.parent, os.W_OK | os.X_OK)
    except OSError as error:
        return failure_reason(error)
    return None if may_write else os.strerror(errno.EACCES)


def failure_reason(error: Exception) -> str:
    if isinstance(error, NotTextError):
        return str(error)
    return (isinstance(error, OSError) and error.strerror) or "not a valid file name"


def display_name(name: str) -> str:
    return "standard input" if name == STANDARD else name[:200]


def write_text(name: str, text: str) -> None:
    check_file_name(name)
    if name == STANDARD:
        sys.stdout.write(text)
        return
    try:
        Path(name).write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot write {display_name(name)}: {failure_reason(error)}; choose another file") from None


def check_csv(csv: str | None, as_json: bool) -> None:
    if csv is not None:
        check_writable(csv)
    if csv == STANDARD and as_json:
        raise CommandError("--csv - and --json both write to standard output; name a file after --csv")


# players, clients and files choose their own names, and spreadsheets compute what begins with these
FORMULA_SIGNS: Final = ("=", "+", "-", "@")


def write_csv(name: str, rows: Iterable[Iterable[Any]]) -> None:
    text = io.StringIO()
    write_csv_rows(text, rows)
    write_text(name, text.getvalue())


def write_csv_rows(file: IO[str], rows: Iterable[Iterable[Any]], line_end: str = "\n") -> None:
    csv.writer(file, lineterminator=line_end).writerows(map(_cell, row) for row in rows)


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    safe = printable(value)
    return f"'{safe}" if safe.startswith(FORMULA_SIGNS) else safe


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
    # in pieces of this size, so that memory stays bounded; no event of a record is as long
    mark = BOM_UTF8  # which some editors write
    while line := file.readline(SERVER_FRAME_BYTES + 1):
        line, mark = line.removeprefix(mark), b""
        if line.strip():
            yield line


RECORD_HINT: Final = "write one with: evilpegs replay MATCH --record FILE"
RECORD_SOURCES: Final = f"{RECORD_HINT}, or fetch it from the site of the server at /api/v1/matches/MATCH/record"
# what a client receives between the events of a record
NOT_RECORDED: Final = frozenset({"turn", "resumed", "watching", "hint", "pong", "notice"})


def _parse_object(line: bytes, number: int = 1) -> dict[str, Any]:
    value = parse_event_text(decode_text(line, number))
    if not isinstance(value, dict):
        raise JsonError("not a JSON object")
    return value


def _begins_record(line: bytes) -> bool:
    try:
        return _parse_object(line).get("type") == "match_started"
    except ValueError:
        return False


RECORD: Final = FileKind("a record", _begins_record)


def read_record_file(name: str) -> tuple[MatchStarted, list[dict[str, Any]]]:
    """Return the first event and all events of a record, without what a client receives in addition."""
    check_file_name(name)
    events: list[dict[str, Any]] = []
    started: MatchStarted | None = None
    with open_to_read(name, RECORD_HINT) as file:
        for number, line in enumerate(filled_lines(file), 1):
            try:
                event = _parse_object(line, number)
            except ValueError as error:
                why = str(error) if isinstance(error, NotTextError) else f"line {number}: {error}"
                raise _not_a_record(name, why) from None
            if str(event.get("type")) in NOT_RECORDED:
                continue
            event.pop("re", None)
            events.append(event)
            started = started or _parse_start(name, number, event)
            if event.get("type") == "match_started" and len(events) > 1:
                matches = f"{started.match} and {printable(str(event.get('match')))[:40]}"
                raise CommandError(
                    f"{display_name(name)} holds two matches, {matches}; write each into a file of its own"
                )
    if started is None:
        raise _not_a_record(name, "it is empty")
    return started, events


def _parse_start(name: str, number: int, event: dict[str, Any]) -> MatchStarted:
    if event.get("type") != "match_started":
        raise _not_a_record(name, 'its first line has no "type": "match_started"')
    try:
        started = decode_record_event(json.dumps(event))
    except CodecError as error:
        raise _not_a_record(name, f"line {number} is not an event of a match: {error}") from None
    assert isinstance(started, MatchStarted)  # noqa: S101 - its type says so
    return started


def _not_a_record(name: str, why: str) -> CommandError:
    return CommandError(f"{display_name(name)} is not the record of a match: {why}; {RECORD_SOURCES}")


TREE_HINT: Final = "write a tree with: evilpegs tree STRATEGY --out FILE"
TREE: Final = FileKind("a tree", lambda line: line.startswith((TITLE.encode(), ADVERSARY_TITLE.encode())))


def read_tree(name: str) -> Tree | AdversaryTree:
    check_file_name(name)
    data = b""
    # Python's sign that it was closed before the start
    if name != STANDARD or sys.stdin is not None:
        with open_to_read(name, TREE_HINT) as file:
            data = file.read(MAX_TREE_CHARACTERS + 1)
    try:
        return parse_tree_or_adversary(tree_text(data))
    except GameError as error:
        raise CommandError(f"{display_name(name)}: {error}") from None
