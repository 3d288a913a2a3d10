"""Kernels, the functions that numba compiles, on the command line: messages about them, and a directory for them."""

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
    """A handler that prints log messages in the same form as the command prints its errors."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the message of a record in one line."""
        print(f"evilpegs: {record.getMessage()}", file=sys.stderr)  # noqa: T201


def report_kernels() -> None:
    """Let messages about kernels, the functions that numba compiles, be printed on standard error from now on.

    Warnings are always printed, the start of a compilation only on a terminal. If EVILPEGS_DATABASE names a database,
    kernels may also be kept beside the database.
    """
    if not _LOGGER.handlers:
        _LOGGER.addHandler(_StandardErrorHandler())
    _LOGGER.setLevel(logging.INFO if sys.stderr.isatty() else logging.WARNING)
    database = os.environ.get(_DATABASE_VARIABLE, "")
    if database.startswith(_SQLITE):
        keep_kernels_beside(Path(database.removeprefix(_SQLITE)))


def keep_kernels_beside(database: Path) -> None:
    """Let this process and its children keep compiled kernels beside a database file, if no usual place can be written.

    ``database`` is the path of the file. If EVILPEGS_KERNELS names a directory, it is used instead. Nothing is kept
    beside a database among temporary files, because kernels should outlive the database.
    """
    file = database.absolute()
    if not file.is_relative_to(tempfile.gettempdir()):
        os.environ.setdefault(FOLDER_VARIABLE, f"{file}.kernels")
