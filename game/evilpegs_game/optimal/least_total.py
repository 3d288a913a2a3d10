"""The least total of a set of codes, computed exactly, and the guesses that attain it; any code may be guessed."""

from collections.abc import Callable
from typing import Final, TypeVar

from evilpegs_game.codemakers.small_sets import WorkBudget
from evilpegs_game.codes import Code, Columns, column_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import all_black
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.first_guesses import FirstGuesses
from evilpegs_game.optimal.guess_matrix import CodeSpace, GuessMatrix
from evilpegs_game.optimal.search_state import DEFAULT, UNLIMITED, Tuning, new_totals
from evilpegs_game.optimal.solver import SUBJECT, TotalSolver
from evilpegs_game.partition import split
from evilpegs_game.rules import Rules

_TABLE_ENTRIES: Final = 1 << 18
# if rules have more codes, the least total of all is found by examining first guesses one by one
_FEW_CODES: Final = 64
# a smaller live set with more first guesses, one counted per orbit, is solved in a single search
_MAX_FIRST_GUESSES: Final = 1000

# a search will likely end within a budget that covers the feedback of every code to every candidate this many times
_WORTHWHILE_LOOKS: Final = 60
_T = TypeVar("_T")


class LeastTotal:
    """A solver of least totals for live sets of ``rules``, which several threads may share.

    It keeps its results, to save time in later calls. It takes 6 MB for its `totals_table`, the memory of all codes
    and, during a call, a guess matrix: at most ``16 * codes * rules.size`` bytes, and far less for small sets because
    few guesses split them differently. Raises TooLargeError as `CodeSpace` does.
    """

    def __init__(self, rules: Rules, tuning: Tuning = DEFAULT) -> None:
        self.rules = rules
        self._code_space = CodeSpace(rules, tuning)
        self._totals = new_totals(_TABLE_ENTRIES)

    def total(self, columns: Columns, budget: int | None = None) -> int:
        """Return the least total of the codes in ``columns``, which must be in code order.

        Raises OverBudgetError if it takes more than ``budget`` feedback evaluations. If the set needs more memory than
        `Tuning.max_matrix_bytes`, that is an OverBudgetError too, or a TooLargeError without a budget.
        """
        return self._total(columns, WorkBudget(budget, SUBJECT))

    def total_after(self, columns: Columns, guess: Code, budget: int | None = None) -> int:
        """Return the least total with ``guess`` as the first guess; otherwise like `total`."""
        work_budget = WorkBudget(budget, SUBJECT)
        parts = [part for feedback, part in split(columns, guess) if feedback != all_black(self.rules.pegs)]
        return int(columns.shape[1]) + sum(self._total(part, work_budget) for part in parts)

    def best_guess(self, columns: Columns, budget: int | None = None) -> Code:
        """Return a first guess that attains the least total; otherwise like `total`.

        Of several, the first that is one of the codes, else the first in code order.
        """
        if columns.shape[1] <= 2:
            return column_code(columns, 0)
        work_budget = WorkBudget(budget, SUBJECT)
        total = self._total(columns, work_budget)
        if self._is_large(columns):
            first_guesses = FirstGuesses(self._code_space, columns, self._totals, budget=work_budget)
            candidates = {column_code(columns, index) for index in range(columns.shape[1])}
            ordered = sorted(first_guesses.guesses, key=lambda first: (first.guess not in candidates, first.guess))
            return next(first.guess for first in ordered if first_guesses.solve(first, total + 1) == total)
        solver = self._solver(columns, work_budget)
        best = solver.find_guess(solver.matrix.all_indices, UNLIMITED, total)
        work_budget.spend(solver.work)
        return solver.matrix.guess_code(best)

    def _is_large(self, columns: Columns) -> bool:
        codes, space = int(columns.shape[1]), self._code_space
        if codes == self.rules.size:
            return codes > _FEW_CODES
        return codes > space.tuning.first_guess_codes and len(space.first_guesses(columns)) <= _MAX_FIRST_GUESSES

    def _total(self, columns: Columns, work_budget: WorkBudget) -> int:
        codes = int(columns.shape[1])
        if codes <= 2:
            return 2 * codes - 1
        if self._is_large(columns):
            first_guesses = FirstGuesses(self._code_space, columns, self._totals, budget=work_budget)
            return first_guesses.prove().upper
        solver = self._solver(columns, work_budget)
        total = solver.solve(solver.matrix.all_indices).upper
        work_budget.spend(solver.work)
        return total

    def _solver(self, columns: Columns, work_budget: WorkBudget) -> TotalSolver:
        work_budget.check(int(columns.shape[1]) * self.rules.size)
        try:
            return TotalSolver(GuessMatrix(self._code_space, columns), self._totals, budget=work_budget)
        except TooLargeError as error:
            if work_budget.is_bounded:
                raise OverBudgetError(str(error)) from None
            raise


class BoundedSolver:
    """A `LeastTotal` that answers None if that takes more than ``budget`` feedback evaluations, or too much memory.

    The answer is also None if the rules are too large. Results of earlier answers save work, so whether there is an
    answer may depend on them; the answer itself never does.
    """

    def __init__(self, rules: Rules, budget: int | None = None) -> None:
        self._budget = budget
        try:
            self._solver: LeastTotal | None = LeastTotal(rules)
        except TooLargeError:
            self._solver = None

    def total(self, position: Position) -> int | None:
        return self._answer(position, lambda solver, columns: solver.total(columns, self._budget))

    def total_after(self, position: Position, guess: Code) -> int | None:
        return self._answer(position, lambda solver, columns: solver.total_after(columns, guess, self._budget))

    def best_guess(self, position: Position) -> Code | None:
        return self._answer(position, lambda solver, columns: solver.best_guess(columns, self._budget))

    def _answer(self, position: Position, query: Callable[[LeastTotal, Columns], _T]) -> _T | None:
        work = _WORTHWHILE_LOOKS * position.count * position.rules.size
        if self._solver is None or (self._budget is not None and work > self._budget):
            return None
        try:
            return query(self._solver, position.candidates)
        except (OverBudgetError, TooLargeError):
            return None
