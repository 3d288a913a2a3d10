"""Kernels on the command line: messages about them, and a folder for them beside the database."""

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
    def emit(self, record: logging.LogRecord) -> None:
        print(f"evilpegs: {record.getMessage()}", file=sys.stderr)  # noqa: T201


def report_kernels() -> None:
    """Print messages about kernels: warnings always, the start of a compilation only on a terminal."""
    if not _LOGGER.handlers:
        _LOGGER.addHandler(_StandardErrorHandler())
    _LOGGER.setLevel(logging.INFO if sys.stderr.isatty() else logging.WARNING)
    database = os.environ.get(_DATABASE_VARIABLE, "")
    if database.startswith(_SQLITE):
        keep_kernels_beside(Path(database.removeprefix(_SQLITE)))


def keep_kernels_beside(database: Path) -> None:
    """Let this process and its children keep kernels beside a database, if no usual place can be written."""
    file = database.absolute()
    # not among temporary files, because kernels should outlive the database
    if not file.is_relative_to(tempfile.gettempdir()):
        os.environ.setdefault(FOLDER_VARIABLE, f"{file}.kernels")
