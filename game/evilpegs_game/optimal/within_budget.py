"""Optimal play as far as a budget goes: answers, or none."""

from collections.abc import Callable
from typing import Final, TypeVar

from evilpegs_game.codes import Code, Columns
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.solve import LeastTotal
from evilpegs_game.rules import Rules

_LOOKS: Final = 60
"""A search that is worth a try looks at every guess for every candidate so often: by experience."""

_T = TypeVar("_T")


class BoundedSolver:
    """Asks `LeastTotal`; each question may take ``budget`` feedbacks, any number if that is None.

    ``make`` builds the solver that is asked.

    What was found out before makes more answers affordable, so an answer may depend on the questions before it in
    whether it comes, never in what it is.
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
        """The least total of guesses over the candidates."""
        return self._ask(position, lambda solver, columns: solver.total(columns, self._budget))

    def after(self, position: Position, guess: Code) -> int | None:
        """The same when ``guess`` is played first."""
        return self._ask(position, lambda solver, columns: solver.after(columns, guess, self._budget))

    def best(self, position: Position) -> Code | None:
        """A guess with which the least total is attained, a candidate if there is one."""
        return self._ask(position, lambda solver, columns: solver.best(columns, self._budget))

    def _ask(self, position: Position, question: Callable[[LeastTotal, Columns], _T]) -> _T | None:
        if self._solver is None or not self._is_worth_a_try(position):
            return None
        try:
            return question(self._solver, position.candidates)
        except (OverBudgetError, TooLargeError):
            return None

    def _is_worth_a_try(self, position: Position) -> bool:
        """If not, the candidates are not even listed."""
        return self._budget is None or _LOOKS * position.count * position.rules.size <= self._budget
