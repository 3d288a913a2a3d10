"""The file that keeps the positions that devils have solved, so that a restarted server need not solve them again."""

from pathlib import Path

from structlog.stdlib import BoundLogger

from evilpegs_game.codemakers.solved_positions import TITLE, SolvedPositions
from evilpegs_game.errors import MalformedError
from evilpegs_protocol.files import ForeignFileError, read_own_file, replace_file
from evilpegs_server.storage.location import beside


def solved_path(database: str, solved: Path | None) -> Path:
    return solved or beside(database, ".solved")


class SolvedPositionsFile:
    """The file, which is left alone if it is that of another program; its errors are logged, never raised."""

    def __init__(self, path: Path, log: BoundLogger) -> None:
        self._path = path
        self._log = log
        self._is_ours = True
        self.solved = self._read()

    def save(self, solved: bytes) -> None:
        """Replace the content by ``solved``, in the format of `SolvedPositions.to_bytes`."""
        if not self._is_ours:
            return
        try:
            replace_file(self._path, solved)
        except OSError as error:
            self._log.warning("cannot save solved positions", path=str(self._path), why=_reason(error))

    def _read(self) -> SolvedPositions:
        try:
            data = read_own_file(self._path, TITLE)
            return SolvedPositions() if data is None else SolvedPositions.from_bytes(data)
        except MalformedError as error:
            self._log.warning(
                "cannot use the saved positions; they will be solved again", path=str(self._path), why=str(error)
            )
        except (ForeignFileError, OSError) as error:
            self._log.warning("solved positions will not be saved", path=str(self._path), why=_reason(error))
            self._is_ours = False
        return SolvedPositions()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
