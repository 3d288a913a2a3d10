from collections.abc import Callable
from typing import Final, TypeVar

from evilpegs_game.codes import Code, Columns
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.least_total import LeastTotal
from evilpegs_game.rules import Rules

# a search will likely end within a budget that covers the feedback of every code to every candidate this many times
_WORTHWHILE_LOOKS: Final = 60

_T = TypeVar("_T")


class BoundedSolver:
    """A `LeastTotal` that answers None if that takes more than ``budget`` feedback evaluations, or too much memory.

    The answer is also None if the rules are too large. Results of earlier answers save work, so whether there is an
    answer may depend on them; the answer itself never does.
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
        return self._answer(position, lambda solver, columns: solver.total(columns, self._budget))

    def total_after(self, position: Position, guess: Code) -> int | None:
        return self._answer(position, lambda solver, columns: solver.total_after(columns, guess, self._budget))

    def best_guess(self, position: Position) -> Code | None:
        return self._answer(position, lambda solver, columns: solver.best_guess(columns, self._budget))

    def _answer(self, position: Position, query: Callable[[LeastTotal, Columns], _T]) -> _T | None:
        if self._solver is None or not self._is_worth_trying(position):
            return None
        try:
            return query(self._solver, position.candidates)
        except (OverBudgetError, TooLargeError):
            return None

    def _is_worth_trying(self, position: Position) -> bool:
        return self._budget is None or _WORTHWHILE_LOOKS * position.count * position.rules.size <= self._budget
