"""Processes that a test has started: a check that they run, and waiting for a condition."""

import time
from pathlib import Path

from support.patience import PATIENCE


def wait_until(condition):
    """Return as soon as ``condition`` returns a true value; fail the test if it does not within `PATIENCE` seconds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def is_running(pid):
    """Return True if the process exists and is not a zombie.

    A zombie has ended, but its parent has not asked for its exit status yet.
    """
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
