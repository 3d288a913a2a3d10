"""The journal of a run: what was finished, so that a run that was killed goes on from there.

A text file, a line a finished unit: its key and its outcome as JSON, then a checksum over the run and the line. Lines
are only ever appended, in one write each. What a kill tore off, a last line without an end, is dropped; any other line
that does not hold is an error. The first line says which run it is, and a lock keeps two runs out of one file.
"""

import errno
import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import Any, Final

from platformdirs import user_data_path

from evilpegs_clients.errors import EvaluationError

FORMAT: Final = "evilpegs journal 1"
CHECKED: Final = 16
"""Hexadecimal digits of a line's checksum."""


class JournalUnusableError(EvaluationError):
    """The file cannot be written, or another run writes to it; there is nothing wrong with what is in it."""


class ForeignJournalError(EvaluationError):
    """The file is not a journal of this program."""


class DamagedJournalError(EvaluationError):
    """A line of the journal does not match its checksum."""


class OtherRunError(EvaluationError):
    """The journal belongs to another run; ``found`` describes that run, ``asked`` the one that was started.

    The two are equal if only a strategy file or the version of the program differs.
    """

    def __init__(self, message: str, found: str, asked: str) -> None:
        super().__init__(message)
        self.found = found
        self.asked = asked


class Journal:
    """What is known of a run; ``known`` maps keys of units to outcomes as JSON."""

    def __init__(self, run: str, file: FileIO | None = None) -> None:
        self.known: dict[str, Any] = {}
        self._run = run
        self._file = file

    def add(self, key: str, outcome: Any) -> None:
        """Keep what came of a unit; raises OSError where there is no room for it."""
        self.known[key] = outcome
        if self._file is not None:
            _append(self._file, _line([key, outcome], self._run))


def default_journal(run: str) -> Path:
    """Where the journal of a run is if nobody says otherwise: in the user's data directory."""
    return user_data_path("evilpegs") / "journals" / f"{run[:24]}.journal"


def no_journal() -> Journal:
    """One that keeps nothing beyond this process."""
    return Journal("")


@contextmanager
def opened_journal(path: Path, run: str, about: str) -> Iterator[Journal]:
    """The journal of ``run`` in that file, begun if there is none; ``about`` says to people what it is of.

    Raises:
        JournalUnusableError: it cannot be written, or another process writes to it.
        OtherRunError: it is of another run.
        DamagedJournalError: a line of it was changed.
        ForeignJournalError: it is no journal.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = FileIO(path, "a+")
    except OSError as error:
        message = f"the journal {path} cannot be written: {error.strerror}"
        raise JournalUnusableError(message) from error
    with file:
        _lock(file, path)
        yield _resumed(file, path, run, about)


def _lock(file: FileIO, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        message = f"another run writes to the journal {path}; wait for it or name another file with --journal"
        raise JournalUnusableError(message) from error


def _resumed(file: FileIO, path: Path, run: str, about: str) -> Journal:
    file.seek(0)
    whole, _, torn = file.readall().rpartition(b"\n")
    heading = _line([FORMAT, {"run": run, "about": about}], "")
    journal = Journal(run, file)
    if whole:
        _check_heading(whole.split(b"\n", 1)[0], path, run, about)
        for number, line in enumerate(whole.split(b"\n")[1:], 2):
            key, outcome = _read(line, run, path, number)
            journal.known[key] = outcome
        file.truncate(len(whole) + 1)
    elif heading.startswith(torn):
        file.truncate(0)
        _append(file, heading)
    else:
        raise _foreign(path)
    return journal


def _append(file: FileIO, line: bytes) -> None:
    if file.write(line) != len(line):
        raise OSError(errno.ENOSPC, "only a part of a line was written")


def _check_heading(line: bytes, path: Path, run: str, about: str) -> None:
    if not line.startswith(f'["{FORMAT}",'.encode()):
        raise _foreign(path)
    _, told = _read(line, "", path, 1)
    if told["run"] != run:
        this = (
            "not of the same strategy file and version of the program" if told["about"] == about else f"not of {about}"
        )
        message = f"{path} is the journal of another run ({told['about']}), {this}; name another file with --journal"
        raise OtherRunError(message, told["about"], about)


def _foreign(path: Path) -> ForeignJournalError:
    return ForeignJournalError(f"{path} is no journal of this program; name another file with --journal")


def _line(content: list[Any], run: str) -> bytes:
    text = json.dumps(content, separators=(",", ":"))
    return f"{text} {_checksum(text, run)}\n".encode()


def _checksum(text: str, run: str) -> str:
    return sha256(f"{run}\n{text}".encode()).hexdigest()[:CHECKED]


def _read(line: bytes, run: str, path: Path, number: int) -> tuple[str, Any]:
    text, _, checksum = line.decode(errors="replace").rpartition(" ")
    if _checksum(text, run) != checksum:
        message = f"line {number} of the journal {path} is damaged; delete the file to begin anew"
        raise DamagedJournalError(message)
    key, outcome = json.loads(text)
    return key, outcome
