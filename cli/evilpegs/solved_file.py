"""A file of solved positions: a cache that may be deleted at any time."""

import os
import sys
import tempfile
from pathlib import Path

from evilpegs.errors import CommandError
from evilpegs_game.errors import MalformedError
from evilpegs_game.solved import TITLE, SolvedPositions


def read_solved(path: Path) -> SolvedPositions:
    """What the file holds; nothing if there is none yet. A damaged or outdated one is told of and not believed.

    Raises:
        CommandError: the file cannot be read, or is somebody's file of another kind.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return SolvedPositions()
    except OSError as error:
        raise _unusable(path, "read", error) from error
    if data and not data.startswith(TITLE):
        message = f"{path} holds something else than solved positions; name another file"
        raise CommandError(message)
    try:
        return SolvedPositions.from_bytes(data)
    except MalformedError as error:
        print(f"evilpegs: {path}: {error}; they will be solved anew", file=sys.stderr)  # noqa: T201
        return SolvedPositions()


def save_solved(path: Path, solved: SolvedPositions) -> None:
    """Replace the file in one step, if anything was learnt: a reader finds the old one or the new one, whole.

    Raises:
        CommandError: the file cannot be written.
    """
    if not solved.changed:
        return
    try:
        _replace(path, solved.to_bytes())
    except OSError as error:
        raise _unusable(path, "write", error) from error
    solved.changed = False


def _replace(path: Path, data: bytes) -> None:
    number, name = tempfile.mkstemp(prefix=path.name, suffix=".new", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _unusable(path: Path, what: str, error: OSError) -> CommandError:
    return CommandError(f"cannot {what} solved positions at {path}: {error.strerror or error}; name another file")
