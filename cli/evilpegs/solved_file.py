"""A file of solved positions that the user names."""

import sys
from pathlib import Path

from evilpegs.errors import CommandError
from evilpegs_game.errors import MalformedError
from evilpegs_game.solved import TITLE, SolvedPositions
from evilpegs_protocol.files import ForeignFileError, read_own_file, replace_file


def read_solved(path: Path) -> SolvedPositions:
    """What the file holds; nothing if there is none yet. A damaged or outdated one is told of and not believed.

    Raises:
        CommandError: the file cannot be read, or is somebody's file of another kind.
    """
    try:
        data = read_own_file(path, TITLE)
        return SolvedPositions() if data is None else SolvedPositions.from_bytes(data)
    except MalformedError as error:
        print(f"evilpegs: {path}: {error}; they will be solved anew", file=sys.stderr)  # noqa: T201
        return SolvedPositions()
    except ForeignFileError as error:
        message = f"{path} holds something else than solved positions; name another file"
        raise CommandError(message) from error
    except OSError as error:
        raise _unusable(path, "read", error) from error


def save_solved(path: Path, solved: SolvedPositions) -> None:
    """Replace the file in one step, if anything was learnt: a reader finds the old one or the new one, whole.

    Raises:
        CommandError: the file cannot be written.
    """
    if not solved.changed:
        return
    try:
        replace_file(path, solved.to_bytes())
        solved.changed = False
    except OSError as error:
        raise _unusable(path, "write", error) from error


def _unusable(path: Path, what: str, error: OSError) -> CommandError:
    return CommandError(f"cannot {what} solved positions at {path}: {error.strerror or error}; name another file")
