"""A file of the bounds that `evilpegs solve` has proved, which is replaced in one step and used only if complete.

Users know the file as the journal, after the option --journal, so all messages call it that.
"""

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from evilpegs.errors import CommandError
from evilpegs.files import failure_reason
from evilpegs_game.errors import DamagedError, ForeignError, MalformedError
from evilpegs_game.optimal.proof_log import TITLES, ProofLog
from evilpegs_game.rules import Rules
from evilpegs_protocol.files import ForeignFileError, read_own_file, replace_file

SAVE_INTERVAL: Final = 5.0  # seconds; a killed run loses at most this and the work on the guess that it was examining


class ProofLogFile:
    """The file of the proof log for ``rules``, which begins empty if the file is missing or damaged."""

    def __init__(self, path: Path, rules: Rules, now: Callable[[], float]) -> None:
        self._path = path
        self._now = now
        self._saved_at = now()
        self.proof_log = _read(path, rules)

    def tick(self) -> None:
        """Save the proof log if the last save was at least `SAVE_INTERVAL` ago."""
        if self._now() - self._saved_at >= SAVE_INTERVAL:
            self.save()

    def save(self) -> None:
        """Replace the content of the file in one step."""
        try:
            replace_file(self._path, self.proof_log.to_bytes())
        except OSError as error:
            raise _unusable(self._path, "write", error) from error
        self._saved_at = self._now()

    def remove(self) -> None:
        """Remove the file, if it exists and can be removed."""
        with contextlib.suppress(OSError):
            self._path.unlink()


def _read(path: Path, rules: Rules) -> ProofLog:
    try:
        data = read_own_file(path, *TITLES)
    except ForeignFileError as error:
        raise CommandError(
            f"{path} holds something else than a journal of evilpegs solve; name another file with --journal"
        ) from error
    except (OSError, ValueError) as error:
        raise _unusable(path, "read", error) from error
    proof_log = _parse(path, data) if data else None
    if proof_log and proof_log.rules != rules:
        raise CommandError(f"{path} is a journal of {proof_log.rules}, not of {rules}; name another file")
    return proof_log or ProofLog(rules)


def _parse(path: Path, data: bytes) -> ProofLog | None:
    try:
        return ProofLog.from_bytes(data)
    except ForeignError:
        reason = "this is a journal of another version"
    except DamagedError as error:
        reason = f"line {error.line} of the journal is damaged" if error.line else "the journal is damaged"
    except MalformedError:
        reason = "a line of the journal cannot be read"
    print(f"evilpegs: {path}: {reason}; the proof starts from the beginning", file=sys.stderr)  # noqa: T201
    return None


def _unusable(path: Path, action: str, error: Exception) -> CommandError:
    return CommandError(f"cannot {action} the journal at {path}: {failure_reason(error)}; name another file")
