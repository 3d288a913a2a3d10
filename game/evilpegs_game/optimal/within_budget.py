"""Least totals as far as a work budget allows, with None as the answer beyond it.

The least total of a position is the fewest guesses that find each candidate, summed over the candidates.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from evilpegs_game.codes import Code, Columns
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.least_total import LeastTotal
from evilpegs_game.rules import Rules

_WORTHWHILE_LOOKS: Final = 60
"""A search is tried only if the budget covers the feedback of every code to every candidate this many times.

With a budget that large, the search will likely end within it.
"""

_T = TypeVar("_T")


class BoundedSolver:
    """A solver like `LeastTotal` that answers None if an answer takes more than ``budget`` feedback evaluations.

    The answer is also None if the rules are too large for `LeastTotal` or the search takes too much memory. A
    ``budget`` of None means no limit. ``make`` builds the solver for the rules. Results of earlier answers save work,
    so whether there is an answer may depend on them; the answer itself never does.
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
        """Return the fewest guesses that find each candidate, summed over the candidates, or None.

        The winning guesses are included. The result is None if the search takes more feedback evaluations than the
        budget of this solver, or too much memory.
        """
        return self._answer(position, lambda solver, columns: solver.total(columns, self._budget))

    def total_after(self, position: Position, guess: Code) -> int | None:
        """Return the fewest guesses that find each candidate if ``guess`` is the first, summed over the candidates.

        ``guess`` and the winning guesses are included. The result is None if the search takes more feedback evaluations
        than the budget of this solver, or too much memory.
        """
        return self._answer(position, lambda solver, columns: solver.total_after(columns, guess, self._budget))

    def best_guess(self, position: Position) -> Code | None:
        """Return a guess after which finding each candidate takes the fewest guesses in total, or None.

        The result is None if the search takes more feedback evaluations than the budget of this solver, or too much
        memory. Of several equally good guesses, a candidate is preferred.
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
        """Return False if the budget is so small that a search at ``position`` would probably exceed it."""
        return self._budget is None or _WORTHWHILE_LOOKS * position.count * position.rules.size <= self._budget
