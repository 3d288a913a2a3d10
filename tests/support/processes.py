"""Processes that a test has started: whether they run."""

from pathlib import Path


def is_running(pid):
    """Return True if the process exists and is not a zombie.

    A zombie has ended, but its parent has not asked for its exit status yet.
    """
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
