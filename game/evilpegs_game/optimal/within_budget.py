"""Least totals as far as a work budget allows, with None as the answer beyond it."""

from collections.abc import Callable
from typing import Final, TypeVar

from evilpegs_game.codes import Code, Columns
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.least_total import LeastTotal
from evilpegs_game.rules import Rules

_WORTHWHILE_LOOKS: Final = 60
"""If the budget covers the feedback of every guess to every candidate this many times, a search will likely end."""

_T = TypeVar("_T")


class BoundedSolver:
    """A solver like `LeastTotal` that answers None if an answer takes more than ``budget`` feedback evaluations.

    A ``budget`` of None means no limit. ``make`` builds the solver. Results of earlier answers save work, so whether
    there is an answer may depend on them; the answer itself never does.
    """

    def __init__(
        self, rules: Rules, budget: int | None = None, *, make: Callable[[Rules], LeastTotal] = LeastTotal
    ) -> None:
        self._budget = budget
        try:
            self._solver: LeastTotal | None = make(rules)
        except TooLargeError:
            self._solver = None

    def total(self, position: Position) -> int | None:
        """Return the fewest guesses in total that finding each candidate takes, or None if the budget is too small."""
        return self._answer(position, lambda solver, columns: solver.total(columns, self._budget))

    def total_after(self, position: Position, guess: Code) -> int | None:
        """Return the fewest guesses in total that finding each candidate takes if ``guess`` is the first of them.

        Return None if finding that takes more feedback evaluations than the budget of this solver.
        """
        return self._answer(position, lambda solver, columns: solver.total_after(columns, guess, self._budget))

    def best_guess(self, position: Position) -> Code | None:
        """Return a guess after which finding each candidate takes the fewest guesses in total, or None.

        The result is None if the budget is too small. Of several equally good guesses, a candidate is preferred.
        """
        return self._answer(position, lambda solver, columns: solver.best_guess(columns, self._budget))

    def _answer(self, position: Position, query: Callable[[LeastTotal, Columns], _T]) -> _T | None:
        if self._solver is None or not self._is_worth_trying(position):
            return None
        try:
            return query(self._solver, position.candidates)
        except (OverBudgetError, TooLargeError):
            return None

    def _is_worth_trying(self, position: Position) -> bool:
        """Return False if the budget is so small that the candidates need not even be listed."""
        return self._budget is None or _WORTHWHILE_LOOKS * position.count * position.rules.size <= self._budget
