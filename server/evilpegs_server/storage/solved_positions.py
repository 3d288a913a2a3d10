"""The file that keeps the positions that devils have solved, so that a restarted server need not solve them again.

A devil is a codemaker that searches ahead, and a position is what a player knows in a game: its rules and its turns.
"""

from pathlib import Path

from structlog.stdlib import BoundLogger

from evilpegs_game.codemakers.solved_positions import TITLE, SolvedPositions
from evilpegs_game.errors import MalformedError
from evilpegs_protocol.files import ForeignFileError, read_own_file, replace_file
from evilpegs_server.storage.location import database_file


def solved_path(database: str, solved: Path | None) -> Path:
    """Return the path of the file with the positions that devils, the codemakers that search ahead, have solved.

    It is ``solved``, the setting of that name, unless this is None; otherwise it is a file beside the database at the
    URL ``database``, with the name of the database and ``.solved``.
    """
    beside = database_file(database)
    return solved or beside.with_name(beside.name + ".solved")


class SolvedPositionsFile:
    """The file in which a server keeps the positions that devils have solved.

    A devil is a codemaker that searches ahead, and a position is what a player knows in a game. The attribute
    ``solved`` has the positions that the constructor read. If ``path`` is None, nothing is read or written. Errors of
    the file are logged to ``log`` and never raised.
    """

    def __init__(self, path: Path | None, log: BoundLogger) -> None:
        self._path = path
        self._log = log
        self.solved = self._read()

    def save(self, solved: bytes) -> None:
        """Replace the content of the file by ``solved``, which is in the format of `SolvedPositions.to_bytes`."""
        if self._path is not None:
            try:
                replace_file(self._path, solved)
            except OSError as error:
                self._log.warning("cannot keep solved positions", path=str(self._path), why=_reason(error))

    def _read(self) -> SolvedPositions:
        if self._path is None:
            return SolvedPositions()
        try:
            data = read_own_file(self._path, TITLE)
            return SolvedPositions() if data is None else SolvedPositions.from_bytes(data)
        except MalformedError as error:
            self._log.warning("solved positions will be solved again", path=str(self._path), why=str(error))
        except (ForeignFileError, OSError) as error:
            self._log.warning("solved positions are not kept", path=str(self._path), why=_reason(error))
            self._path = None
        return SolvedPositions()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
