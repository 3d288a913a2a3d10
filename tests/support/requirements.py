"""Programs and files that a test needs and a machine may lack: without them a test is skipped, but not in CI."""

import os
from pathlib import Path

import pytest


def require(path, missing):
    """Skip the test if a program or a file is missing; in CI, where nothing may be missing, fail it."""
    if path is None or not Path(path).exists():
        fail_or_skip(missing)


def fail_or_skip(missing):
    """Skip the test because something is missing; in CI, fail it."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
