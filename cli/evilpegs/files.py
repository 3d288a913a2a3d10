"""Files that people name: records of matches and strategy trees, with `-` for standard input and output.

An error in a name is reported before any work is done.
"""

import errno
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from evilpegs.errors import CommandError
from evilpegs_clients.printable import printable
from evilpegs_game.errors import GameError, quoted
from evilpegs_game.trees.tree import MAX_TREE_CHARACTERS, TITLE, Tree, format_tree, parse_tree
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.limits import SERVER_FRAME_BYTES
from evilpegs_protocol.record_signature import KEY_BYTES, parse_bytes
from evilpegs_protocol.server_messages import MatchStarted
from evilpegs_protocol.strict_json import parse_json

STANDARD: Final = "-"
"""The name that stands for standard input or output."""
RECORD_HINT: Final = "write one with: evilpegs replay MATCH --record FILE"
RECORD_SOURCES: Final = f"{RECORD_HINT}, or fetch it from the site of the server at /api/v1/matches/MATCH/record"
NOT_RECORDED: Final = frozenset({"turn", "resumed", "watching", "hint", "pong", "notice"})
"""The messages that a client receives between the events of a match."""
KEY_HINT: Final = "a server names its own in /api/v1/keys, and in the file .key.pub beside its database"
TREE_HINT: Final = "write a tree with: evilpegs tree STRATEGY --out FILE"


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
    """A kind of file that a command writes: its name with an article, and the test by which its files are recognized.

    ``begins`` gets the first line of a file, after blank lines and comments, and returns True if the file is of this
    kind.
    """

    name: str
    begins: Callable[[bytes], bool]


def _begins_record(line: bytes) -> bool:
    try:
        event = parse_json(line.decode())
    except ValueError:
        return False
    return isinstance(event, dict) and event.get("type") == "match_started"


def _begins_tree(line: bytes) -> bool:
    return line.startswith(TITLE.encode())


RECORD: Final = FileKind("a record", _begins_record)
TREE: Final = FileKind("a tree", _begins_tree)


def check_writable(name: str, kind: FileKind | None = None) -> None:
    """Raise CommandError if a file could not be written; call this before the work whose result goes into the file.

    With ``kind``, an existing file of another kind is an error too. An empty file belongs to every kind.
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
    with _open_to_read(str(path), "choose another file") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return True
        lines = (line for line in _record_lines(file) if not line.lstrip().startswith(b"#"))
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
    """Return the reason why a file cannot be opened: the words of the system, or that no file can have this name."""
    return (isinstance(error, OSError) and error.strerror) or "there can be no such file"


def display_name(name: str) -> str:
    """Return the name of a file for messages: ``-`` becomes "standard input", and a long name is cut."""
    return "standard input" if name == STANDARD else name[:200]


def read_record(name: str) -> tuple[MatchStarted, list[dict[str, Any]]]:
    """Read a record from a file, and return its first event and all of its events.

    The events are returned as they are in the file. Only what a client receives in addition is left out: the field
    ``re`` of an answer, and the messages of `NOT_RECORDED`.

    Raises:
        CommandError: a line is not a JSON object, the first event is not the start of a match, or a second match
            starts.
    """
    check_name(name)
    events: list[dict[str, Any]] = []
    started: MatchStarted | None = None
    with _open_to_read(name, RECORD_HINT) as file:
        for number, line in enumerate(_record_lines(file), 1):
            event = _parse_object(name, number, line)
            if str(event.get("type")) in NOT_RECORDED:
                continue
            event.pop("re", None)
            events.append(event)
            started = started or _parse_start(name, number, event)
            _check_same_match(name, started, event)
    if started is None:
        raise _not_a_record(name, "it is empty")
    return started, events


def read_public_keys(key: str) -> tuple[str, ...]:
    """Return the public keys that ``key`` stands for: itself, or those in the file of that name.

    The file has one key per line. Lines that begin with ``#`` are comments.

    Raises:
        CommandError: ``key`` is neither a key nor a file, or a line of the file is not a public key.
    """
    if _is_public_key(key):
        return (key,)
    try:
        lines = [line.strip() for line in Path(key).read_text(encoding="ascii").splitlines()]
    except (OSError, ValueError) as error:
        message = (
            f"{quoted(key, 200)} is neither a public key of 43 characters nor a file of them: {failure_reason(error)}"
        )
        raise CommandError(message) from None
    keys = tuple(line for line in lines if line and not line.startswith("#"))
    if not keys or not all(map(_is_public_key, keys)):
        message = f"{key[:200]} is not a list of public keys, one per line; {KEY_HINT}"
        raise CommandError(message)
    return keys


def _is_public_key(text: str) -> bool:
    try:
        parse_bytes(text, KEY_BYTES)
    except ValueError:
        return False
    return True


def write_record(name: str, events: Sequence[str]) -> None:
    """Write events, which are given as JSON, to a file with one event per line; raises CommandError if that fails."""
    _write_text(name, "".join(event + "\n" for event in events))


def read_tree(name: str) -> Tree:
    """Read a strategy tree from a file in the format of docs/trees.md.

    Raises:
        CommandError: the file cannot be read, or a line is wrong; the message names the first wrong line.
    """
    data = _read_tree_bytes(name)
    try:
        return parse_tree(data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{display_name(name)}: line {line} is not text in UTF-8; {TREE_HINT}"
        raise CommandError(message) from None
    except GameError as error:
        message = f"{display_name(name)}: {error}"
        raise CommandError(message) from None


def write_tree(name: str, tree: Tree) -> None:
    """Write a strategy tree to a file; raises CommandError if that fails."""
    _write_text(name, format_tree(tree))


def _read_tree_bytes(name: str) -> bytes:
    """Read the bytes of a tree file, but at most one byte more than a tree may have.

    A standard input that is closed counts as empty.
    """
    check_name(name)
    if name == STANDARD and sys.stdin is None:
        return b""
    with _open_to_read(name, TREE_HINT) as file:
        return file.read(MAX_TREE_CHARACTERS + 1)


def _write_text(name: str, text: str) -> None:
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
def _open_to_read(name: str, hint: str) -> Iterator[IO[bytes]]:
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


def _record_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a record that are not empty.

    A line that is longer than an event may be is read in pieces, so that memory stays bounded.
    """
    while line := file.readline(SERVER_FRAME_BYTES + 1):
        if line.strip():
            yield line


def _parse_object(name: str, number: int, line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line of a record; raise CommandError if the line is not a JSON object.

    Repeated keys and constants such as ``NaN`` are errors too, because programs understand them differently.
    """
    try:
        value = parse_json(line.decode())
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise _not_a_record(name, f"line {number} is not a JSON object")
    return value


def _check_same_match(name: str, started: MatchStarted, event: dict[str, Any]) -> None:
    if event.get("type") == "match_started" and event.get("match") != started.match:
        matches = f"{started.match} and {printable(str(event.get('match')))[:40]}"
        message = f"{display_name(name)} holds two matches, {matches}; write each into a file of its own"
        raise CommandError(message)


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
