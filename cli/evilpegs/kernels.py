"""Compiled kernels on the command line: commands say that they compile, and offer a directory beside the database."""

import logging
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from evilpegs_game.kernel_folder import FOLDER_VARIABLE

_LOGGER: Final = logging.getLogger("evilpegs_game")
_DATABASE_VARIABLE: Final = "EVILPEGS_DATABASE"
_SQLITE: Final = "sqlite:///"


class _StandardErrorHandler(logging.Handler):
    """A handler that prints messages as this command prints its errors."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the message of a record in one line."""
        print(f"evilpegs: {record.getMessage()}", file=sys.stderr)  # noqa: T201


def report_kernels() -> None:
    """Print what the game says about its kernels: on a terminal that it compiles, and always what is wrong."""
    if not _LOGGER.handlers:
        _LOGGER.addHandler(_StandardErrorHandler())
    _LOGGER.setLevel(logging.INFO if sys.stderr.isatty() else logging.WARNING)
    database = os.environ.get(_DATABASE_VARIABLE, "")
    if database.startswith(_SQLITE):
        keep_kernels_beside(Path(database.removeprefix(_SQLITE)))


def keep_kernels_beside(database: Path) -> None:
    """Let this process and its children keep kernels beside the file of a database if no usual place can be written.

    A directory that EVILPEGS_KERNELS names is used instead. A database among temporary files does not live as long as
    kernels, so nothing is kept beside it.
    """
    file = database.absolute()
    if not file.is_relative_to(tempfile.gettempdir()):
        os.environ.setdefault(FOLDER_VARIABLE, f"{file}.kernels")
