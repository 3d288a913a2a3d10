"""Connections to SQLite that nobody closes are an error of the test, as they are since Python 3.13."""

import inspect
import sqlite3
import sys
import traceback
import warnings
from functools import partial
from pathlib import Path

TESTS = str(Path(__file__).parents[1])


class Watched(sqlite3.Connection):
    def __init__(self, *args, **options):
        self.is_open = False
        super().__init__(*args, **options)
        self.is_open = True
        frame = inspect.currentframe()
        while frame and (frame.f_code.co_filename == __file__ or not frame.f_code.co_filename.startswith(TESTS)):
            frame = frame.f_back
        # in a thread no test is on the stack
        self.place = (
            f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else "".join(traceback.format_stack(limit=40))
        )

    def close(self):
        super().close()
        self.is_open = False

    def __del__(self):
        if self.is_open:
            warnings.warn(f"unclosed database, opened at {self.place}", ResourceWarning, source=self, stacklevel=1)


def watch():
    """Let Python 3.11 and 3.12 say what 3.13 says by itself."""
    if sys.version_info < (3, 13):
        for module in (sqlite3, sqlite3.dbapi2):
            module.connect = partial(module.connect, factory=Watched)
