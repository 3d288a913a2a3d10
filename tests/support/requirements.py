"""Programs and files that a test needs and a machine may lack; without them the test is skipped, but fails in CI."""

import os
from pathlib import Path

import pytest


def require(path, missing):
    """Skip the test with the reason ``missing`` if a program or a file does not exist; in CI, fail it."""
    if path is None or not Path(path).exists():
        fail_or_skip(missing)


def fail_or_skip(missing):
    """Skip the test with the reason ``missing``; in CI, fail it."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
