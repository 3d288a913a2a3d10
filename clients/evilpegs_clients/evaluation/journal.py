"""The journal of a run: the outcomes of finished units in a file, so that a killed run can continue.

The file has lines with checksums (`evilpegs_game.optimal.proof_log`). The first names the format and the run. Each
further line is for one finished unit: a JSON list of the unit's key and outcome, and a checksum over the run and the
list. Lines are only appended, each in one write. If a kill has cut off the end of the last line, that line is dropped;
any other line that fails its checksum is an error.

A lock keeps a second run out. It is on the file itself and not on one beside it, so it holds for every name of the
file, leaves nothing behind, and excludes runs of earlier versions too.
"""

import errno
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any, Final

from filelock import lock_descriptor
from platformdirs import user_data_path

from evilpegs_clients.errors import EvaluationError
from evilpegs_game.errors import DamagedError
from evilpegs_game.optimal.proof_log import TITLES as PROOF_LOG_TITLES
from evilpegs_game.optimal.proof_log import format_line, read_lines
from evilpegs_protocol.files import make_private_folder

FORMAT: Final = "evilpegs checkpoint 1"
# of evilpegs 0.1.0
OLD_HEADING: Final = b'["evilpegs journal '


class JournalUnusableError(EvaluationError):
    """A journal cannot be written or locked, or another run writes to it; its content is not at fault."""


class Journal:
    """The outcomes of finished units, as JSON values by key, in memory only if there is no file."""

    def __init__(self, run: str = "", file: FileIO | None = None) -> None:
        self.outcomes: dict[str, Any] = {}
        self._run = run  # the digest
        self._file = file

    def add(self, key: str, outcome: Any) -> None:
        """Add the outcome of a unit; raises OSError if the file fails."""
        self.outcomes[key] = outcome
        if self._file is not None:
            _append(self._file, _format_line([key, outcome], self._run))


def default_journal_path(run: str) -> Path:
    return user_data_path("evilpegs") / "journals" / f"{run[:24]}.journal"


@contextmanager
def open_journal(path: Path, run: str, about: str) -> Iterator[Journal]:
    """Keep the file open and locked in the block; ``about`` tells people of the run. Raises EvaluationError."""
    try:
        make_private_folder(path.parent)
        file = FileIO(path, "a+", opener=partial(os.open, mode=0o600))  # it may have the seed of all secrets
    except OSError as error:
        raise JournalUnusableError(
            f"the journal {path} cannot be written: {error.strerror}; name another file with --journal"
        ) from error
    with file:
        _lock(file, path)
        yield _resume(file, path, run, about)


def _lock(file: FileIO, path: Path) -> None:
    try:
        is_ours = lock_descriptor(file.fileno(), blocking=False)
    except OSError as error:
        raise JournalUnusableError(
            f"the journal {path} cannot be locked: {error.strerror}; name another file with --journal"
        ) from error
    if not is_ours:
        raise JournalUnusableError(
            f"another run writes to the journal {path}; wait for it or name another file with --journal"
        )


def _resume(file: FileIO, path: Path, run: str, about: str) -> Journal:
    file.seek(0)
    data = file.readall()
    whole = data[: data.rfind(b"\n") + 1]
    heading = _format_line([FORMAT, {"run": run, "about": about}], "")
    journal = Journal(run, file)
    if whole:
        first, *lines = whole.splitlines(keepends=True)
        _check_heading(first, path, run, about)
        journal.outcomes.update(_read_lines(lines, run, path, 2))
        file.truncate(len(whole))
    elif heading.startswith(data):
        file.truncate(0)
        _append(file, heading)
    else:
        raise _format_error(path, data)
    return journal


def _append(file: FileIO, line: bytes) -> None:
    if file.write(line) != len(line):
        raise OSError(errno.ENOSPC, "only a part of a line was written")


def _check_heading(line: bytes, path: Path, run: str, about: str) -> None:
    if not line.startswith(f'["{FORMAT}",'.encode()):
        raise _format_error(path, line)
    ((_, stored),) = _read_lines([line], "", path, 1)
    if stored["run"] != run:
        is_same = stored["about"] == about
        this = "not of the same strategy file and version of the program" if is_same else f"not of {about}"
        raise EvaluationError(
            f"{path} is the journal of another run ({stored['about']}), {this}; name another file with --journal"
        )


def _format_error(path: Path, heading: bytes) -> EvaluationError:
    if heading.startswith(OLD_HEADING):
        what = "is a journal of an older version of evilpegs; delete it to start over, or"
    elif heading.startswith(PROOF_LOG_TITLES):
        what = "is a journal of evilpegs solve, not of evaluate;"
    else:
        what = "is not a journal of evilpegs evaluate;"
    return EvaluationError(f"{path} {what} name another file with --journal")


def _format_line(content: list[Any], run: str) -> bytes:
    return format_line(json.dumps(content, separators=(",", ":")), run)


def _read_lines(lines: Iterable[bytes], run: str, path: Path, first_number: int) -> Iterator[tuple[str, Any]]:
    try:
        for text in read_lines(lines, run, first_number):
            key, outcome = json.loads(text)
            yield key, outcome
    except DamagedError as error:
        raise EvaluationError(
            f"line {error.line} of the journal {path} is damaged; delete the file to start over"
        ) from error
