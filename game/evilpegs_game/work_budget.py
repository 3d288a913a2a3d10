"""A bound on the work of a computation, in feedback evaluations.

Work is counted and not timed, so that results do not depend on the speed of the machine.
"""

from typing import Final

from evilpegs_game.errors import OverBudgetError

UNBOUNDED_WORK: Final = 1 << 62


class WorkBudget:
    """The feedback evaluations of one computation, up to a limit; ``subject`` begins the error message."""

    def __init__(self, limit: int | None, subject: str) -> None:
        self.work = 0
        self.is_bounded = limit is not None
        self._limit = UNBOUNDED_WORK if limit is None else limit
        self._subject = subject

    @property
    def left(self) -> int:
        """Negative if too many were done."""
        return self._limit - self.work

    def spend(self, work: int) -> None:
        """Count ``work``; raise OverBudgetError beyond the limit."""
        self.work += work
        self.check(0)

    def check(self, work: int) -> None:
        """Raise OverBudgetError if ``work`` more would exceed the limit; count nothing."""
        if work > self.left:
            message = f"{self._subject} takes more than the budget of {self._limit:,} feedback evaluations"
            raise OverBudgetError(message)
