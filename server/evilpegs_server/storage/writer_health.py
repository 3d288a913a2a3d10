"""The health of the writer: the result of the last commit, and how long submitted jobs have waited."""

from collections.abc import Callable
from typing import Final

STUCK_SECONDS: Final = 5.0
"""The time without any commit after which jobs that wait are stuck."""


class WriterHealth:
    """The health of the writer, from what it submits and reports. ``now`` returns seconds and never goes back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._waiting = 0
        self._progress_at = 0.0
        self._failed = False
        self.obstacle: str | None = None
        """Why nothing can be stored although nothing was submitted, None if no reason is known."""

    def note_obstacle(self, obstacle: str | None) -> None:
        """Note why nothing can be stored, such as that the file was moved away, or with None that it can be again."""
        self.obstacle = obstacle

    def note_submitted(self) -> None:
        """Count a job that was submitted."""
        if not self._waiting:
            self._progress_at = self._now()
        self._waiting += 1

    def note_committed(self, jobs: int, failed: int) -> None:
        """Count the jobs of a commit, of which ``failed`` could not be stored."""
        self._waiting -= jobs
        self._progress_at = self._now()
        self._failed = failed == jobs

    @property
    def failed(self) -> bool:
        """True if nothing of the last commit could be stored."""
        return self._failed

    @property
    def stuck(self) -> bool:
        """True if jobs have waited for a commit for more than `STUCK_SECONDS`."""
        return self._waiting > 0 and self._now() - self._progress_at > STUCK_SECONDS
