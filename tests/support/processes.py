"""Processes that a test has caused: whether they run, and waiting for what they do."""

import time
from pathlib import Path

PATIENCE = 60
"""Seconds to wait before the test fails."""


def wait_until(condition):
    """Return as soon as the condition is true; fail if it does not become true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def is_running(pid):
    """Return True if the process exists and is no zombie, which only waits for its parent to look."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
