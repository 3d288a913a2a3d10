"""The health of the database writer: the result of the last commit, and whether submitted jobs wait too long."""

from collections.abc import Callable
from typing import Final

# without any commit while jobs wait
STUCK_SECONDS: Final = 5.0


class WriterHealth:
    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._waiting = 0
        self._progress_at = 0.0
        self._failed = False
        # the reason why nothing can be stored, such as a moved database file
        self.obstacle: str | None = None

    def note_obstacle(self, obstacle: str | None) -> None:
        self.obstacle = obstacle

    def note_submitted(self) -> None:
        if not self._waiting:
            self._progress_at = self._now()
        self._waiting += 1

    def note_committed(self, jobs: int, failed: int) -> None:
        self._waiting -= jobs
        self._progress_at = self._now()
        self._failed = failed == jobs

    @property
    def failed(self) -> bool:
        """True if no job of the last commit could be stored."""
        return self._failed

    @property
    def stuck(self) -> bool:
        return self._waiting > 0 and self._now() - self._progress_at > STUCK_SECONDS
