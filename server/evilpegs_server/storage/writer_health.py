"""The health of the database writer: the result of the last commit, and whether submitted jobs wait too long."""

from collections.abc import Callable
from typing import Final

STUCK_SECONDS: Final = 5.0
"""The seconds without any commit after which waiting jobs count as stuck."""


class WriterHealth:
    """The health of the database writer, derived from the jobs that are submitted and committed.

    A job is a list of writes that are stored together or not at all. ``now`` is a monotonic clock in seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._waiting = 0
        self._progress_at = 0.0
        self._failed = False
        self.obstacle: str | None = None
        """The reason why nothing can be stored, such as a moved database file; None if no reason is known."""

    def note_obstacle(self, obstacle: str | None) -> None:
        """Note the reason why nothing can be stored, such as a moved database file; None if the reason has ended."""
        self.obstacle = obstacle

    def note_submitted(self) -> None:
        """Note that a job was submitted to the writer."""
        if not self._waiting:
            self._progress_at = self._now()
        self._waiting += 1

    def note_committed(self, jobs: int, failed: int) -> None:
        """Note that the commit of ``jobs`` jobs has ended, and that ``failed`` of these jobs could not be stored."""
        self._waiting -= jobs
        self._progress_at = self._now()
        self._failed = failed == jobs

    @property
    def failed(self) -> bool:
        """True if no job of the last commit could be stored."""
        return self._failed

    @property
    def stuck(self) -> bool:
        """True if jobs wait and no commit has ended for more than `STUCK_SECONDS`."""
        return self._waiting > 0 and self._now() - self._progress_at > STUCK_SECONDS
