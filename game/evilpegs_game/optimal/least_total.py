"""The least total of guesses that any codes of some rules need, exactly, and the guesses that attain it."""

from typing import Final

from evilpegs_game.codes import Code, Columns, column_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import all_black
from evilpegs_game.optimal.first_guesses import Openings
from evilpegs_game.optimal.guess_matrix import Frame, Ground
from evilpegs_game.optimal.search_state import UNLIMITED
from evilpegs_game.optimal.solver import NO_BUDGET, Searcher
from evilpegs_game.optimal.totals_table import new_totals
from evilpegs_game.optimal.tuning import DEFAULT, Tuning
from evilpegs_game.partition import split
from evilpegs_game.rules import Rules

_ENTRIES: Final = 1 << 18
_FEW: Final = 64
"""All codes of the rules are a large set if there are more, and their first guesses are looked at one by one."""
_FIRST_GUESSES: Final = 1000
"""So they are for other sets of over `Tuning.opening_codes` codes, unless more first guesses than this differ."""


class LeastTotal:
    """Least totals for live sets of ``rules``; what it has found out it keeps, which saves time and changes no result.

    It takes 6 MB for that, all codes, and while it answers a frame: at most ``16 * codes * rules.size`` bytes and far
    less for few codes, which few guesses split differently. Usable from several threads: they share what they find.

    Raises:
        TooLargeError: the rules have more than 2**20 codes, or more than 64 feedbacks (10 pegs or more).
    """

    def __init__(self, rules: Rules, tuning: Tuning = DEFAULT) -> None:
        self.rules = rules
        self._ground = Ground(rules, tuning)
        self._totals = new_totals(_ENTRIES)

    def total(self, columns: Columns, budget: int | None = None) -> int:
        """The least total of guesses over these codes, the winning ones included; any code of the rules may be guessed.

        Raises:
            OverBudgetError: it takes more than ``budget`` feedbacks looked at; or, if there is one, too much memory.
            TooLargeError: so many codes take more memory than a `Frame` may, and there is no budget.
        """
        return self._total(columns, _Meter(budget))

    def after(self, columns: Columns, guess: Code, budget: int | None = None) -> int:
        """The same when ``guess`` is played first; raises what `total` does."""
        meter = _Meter(budget)
        parts = [part for given, part in split(columns, guess) if given != all_black(self.rules.pegs)]
        return int(columns.shape[1]) + sum(self._total(part, meter) for part in parts)

    def best(self, columns: Columns, budget: int | None = None) -> Code:
        """A guess that attains the total: a candidate before others, then the first in code order.

        Raises:
            OverBudgetError, TooLargeError: as `total` does.
        """
        if columns.shape[1] <= 2:
            return column_code(columns, 0)
        meter = _Meter(budget)
        total = self._total(columns, meter)
        if self._is_large(columns):
            return self._best_of_openings(columns, total, meter)
        searcher = self._searcher(columns, meter)
        best = searcher.first_best(searcher.frame.all_places, UNLIMITED, total)
        meter.spend(searcher.work)
        return searcher.frame.code(best)

    def _best_of_openings(self, columns: Columns, total: int, meter: "_Meter") -> Code:
        openings = Openings(self._ground, columns, self._totals, budget=meter.left)
        candidates = {column_code(columns, place) for place in range(columns.shape[1])}
        ordered = sorted(openings.openings, key=lambda opening: (opening.guess not in candidates, opening.guess))
        return next(opening.guess for opening in ordered if openings.solve(opening, total + 1) == total)

    def _is_large(self, columns: Columns) -> bool:
        codes = int(columns.shape[1])
        if codes == self.rules.size:
            return codes > _FEW
        return codes > self._ground.tuning.opening_codes and len(self._ground.first_guesses(columns)) <= _FIRST_GUESSES

    def _total(self, columns: Columns, meter: "_Meter") -> int:
        codes = int(columns.shape[1])
        if codes <= 2:
            return 2 * codes - 1
        if self._is_large(columns):
            openings = Openings(self._ground, columns, self._totals, budget=meter.left)
            total = openings.prove().upper
            meter.spend(openings.work)
            return total
        searcher = self._searcher(columns, meter)
        total = searcher.least(searcher.frame.all_places).upper
        meter.spend(searcher.work)
        return total

    def _searcher(self, columns: Columns, meter: "_Meter") -> Searcher:
        meter.check(int(columns.shape[1]) * self.rules.size)
        try:
            return Searcher(Frame(self._ground, columns), self._totals, budget=meter.left)
        except TooLargeError as error:
            if meter.is_bounded:
                raise OverBudgetError(str(error)) from None
            raise


class _Meter:
    """What is left of a budget."""

    def __init__(self, budget: int | None) -> None:
        self.is_bounded = budget is not None
        self.left = NO_BUDGET if budget is None else budget

    def spend(self, work: int) -> None:
        """Count work that was done; a search ends by itself before it is too much."""
        self.left -= work

    def check(self, work: int) -> None:
        """Raise OverBudgetError unless there is enough left to look at each guess once."""
        if work > self.left:
            message = "the least total takes more feedbacks looked at than the budget allows"
            raise OverBudgetError(message)
