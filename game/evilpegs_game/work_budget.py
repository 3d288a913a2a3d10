"""A bound on the work of a computation, counted in feedback evaluations.

Work is counted and not timed, so that results do not depend on the speed of the machine.
"""

from typing import Final

from evilpegs_game.errors import OverBudgetError

UNBOUNDED_WORK: Final = 1 << 62
"""The limit of a budget that has no limit: more feedback evaluations than any computation does."""


class WorkBudget:
    """A count of the feedback evaluations of one computation, with a limit.

    A ``limit`` of None means no limit. ``subject`` is the beginning of the error message; it names the computation.
    """

    def __init__(self, limit: int | None, subject: str) -> None:
        self.work = 0
        """The number of feedback evaluations counted so far."""
        self.is_bounded = limit is not None
        self._limit = UNBOUNDED_WORK if limit is None else limit
        self._subject = subject

    @property
    def left(self) -> int:
        """The number of feedback evaluations that may still be done; negative if too many were done."""
        return self._limit - self.work

    def spend(self, work: int) -> None:
        """Add ``work`` feedback evaluations to the count; raise OverBudgetError if the count now exceeds the limit."""
        self.work += work
        self.check(0)

    def check(self, work: int) -> None:
        """Raise OverBudgetError if ``work`` more feedback evaluations would exceed the limit; do not count them."""
        if work > self.left:
            message = f"{self._subject} takes more than the budget of {self._limit:,} feedback evaluations"
            raise OverBudgetError(message)
