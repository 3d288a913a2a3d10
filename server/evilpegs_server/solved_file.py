"""A file of solved positions: a cache that may be deleted at any time, and that is believed only if it is whole."""

from pathlib import Path

from evilpegs_game.solved import TITLE, SolvedPositions
from evilpegs_server.whole_file import replace_file


class ForeignFileError(Exception):
    """The file holds something else, and is not to be written over."""


def read_solved(path: Path) -> SolvedPositions:
    """What the file holds; nothing if there is none yet.

    Raises:
        MalformedError: it is damaged or of another version; it may be replaced.
        ForeignFileError: it is somebody's file of another kind.
        OSError: it cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return SolvedPositions()
    if data and not data.startswith(TITLE):
        message = f"{path} holds something else than solved positions"
        raise ForeignFileError(message)
    return SolvedPositions.from_bytes(data)


def write_solved(path: Path, solved: SolvedPositions) -> None:
    """Replace the file in one step, if anything was learnt: a reader finds the old one or the new one, whole.

    Raises:
        OSError: it cannot be written; the old one stays.
    """
    if not solved.changed:
        return
    solved.changed = False
    try:
        replace_file(path, solved.to_bytes())
    except BaseException:
        solved.changed = True
        raise
