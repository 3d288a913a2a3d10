"""The journal of a proof in a file: replaced in one step, believed only if it is whole."""

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from evilpegs.errors import CommandError
from evilpegs_game.errors import MalformedError
from evilpegs_game.optimal.proof_log import TITLES, ProofLog
from evilpegs_game.rules import Rules
from evilpegs_protocol.files import replace_file

SAVED_EVERY: Final = 5.0
"""Seconds that a killed run may lose, besides the guess it was at."""


class JournalFile:
    """Keeps ``journal`` at ``path``; ``now`` says the time in seconds."""

    def __init__(self, path: Path, rules: Rules, now: Callable[[], float]) -> None:
        """Read what is there.

        Raises:
            CommandError: it cannot be read, or is somebody's file of another kind, or of other rules.
        """
        self._path = path
        self._now = now
        self._saved = now()
        self.journal = _read(path, rules)

    def tick(self) -> None:
        """Save if it was not done for a while; raises CommandError where that cannot be done."""
        if self._now() - self._saved >= SAVED_EVERY:
            self.save()

    def save(self) -> None:
        """Replace the file: a reader finds the old one or the new one, whole; raises CommandError."""
        try:
            replace_file(self._path, self.journal.to_text().encode())
        except OSError as error:
            raise _unusable(self._path, "write", error) from error
        self._saved = self._now()

    def remove(self) -> None:
        """It is not needed any more."""
        with contextlib.suppress(OSError):
            self._path.unlink()


def _read(path: Path, rules: Rules) -> ProofLog:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ProofLog(rules)
    except UnicodeDecodeError:
        text = "something else"
    except (OSError, ValueError) as error:
        raise _unusable(path, "read", error) from error
    if text and not text.startswith(TITLES):
        message = f"{path} holds something else than a journal; name another file"
        raise CommandError(message)
    journal = _believed(path, text) if text else ProofLog(rules)
    if journal and journal.rules != rules:
        message = f"{path} is a journal of {journal.rules}, not of {rules}; name another file"
        raise CommandError(message)
    return journal or ProofLog(rules)


def _believed(path: Path, text: str) -> ProofLog | None:
    try:
        return ProofLog.from_text(text)
    except MalformedError as error:
        print(f"evilpegs: {path}: {error}; the proof begins anew", file=sys.stderr)  # noqa: T201
        return None


def _unusable(path: Path, what: str, error: Exception) -> CommandError:
    why = (isinstance(error, OSError) and error.strerror) or "there can be no such file"
    return CommandError(f"cannot {what} the journal at {path}: {why}; name another file")
