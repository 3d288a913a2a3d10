"""The expectation of guessing candidates at random: every choice weighed, exactly.

A codebreaker who draws each guess uniformly from the candidates needs, over all secrets of a live set S of n codes
together, T(S) = n + 1/n * (the sum of T over all parts but all-black of every guess in S). T is the same for sets that
a permutation of pegs and colors carries into each other, and of guesses that a symmetry of the set exchanges one
stands for all.
"""

from collections import Counter
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.breaking import group
from evilpegs_game.codes import all_codes, column_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.expectation_kernels import FEW, UNIT, nothing_known, small_parts_total
from evilpegs_game.feedback import feedbacks
from evilpegs_game.partition import Places, feedback_numbers
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry import Key, Symmetries, canonical_key

MAX_CODES: Final = 5040
"""The table of feedback numbers takes the square of it in bytes, 25 MB."""

DEFAULT_BUDGET: Final = 10**8
"""About half a minute. 4x6 takes 11 million feedback evaluations, 4x5 one million."""


def expected_guesses(rules: Rules, budget: int = DEFAULT_BUDGET) -> Fraction:
    """The expected guesses, the winning one included, over a uniform secret and uniform choices of candidates.

    ``budget`` bounds the work in feedbacks looked at.

    Raises:
        TooLargeError: there are over `MAX_CODES` codes.
        OverBudgetError: it takes more work.
    """
    return Expectation(rules, budget).total() / rules.size


class Expectation:
    """The totals of the live sets of some rules."""

    def __init__(self, rules: Rules, budget: int = DEFAULT_BUDGET) -> None:
        if rules.size > MAX_CODES:
            message = f"{rules} has {rules.size:,} codes; the exact expectation is for at most {MAX_CODES:,}"
            raise TooLargeError(message, needed=rules.size, bound=MAX_CODES)
        self.rules = rules
        self.work = 0
        self._budget = budget
        self._every = all_codes(rules)
        self._table = np.stack([feedback_numbers(self._every, column_code(self._every, i)) for i in range(rules.size)])
        self._numbers = len(feedbacks(rules.pegs))
        self._symmetries = Symmetries(rules, self._every)
        self._known: dict[Key, Fraction] = {}
        self._scratch = nothing_known()

    @property
    def entries(self) -> int:
        """The live sets of over `FEW` codes whose totals are known, no two of them alike."""
        return len(self._known)

    def total(self) -> Fraction:
        """The expected guesses of all secrets together."""
        every = np.arange(self.rules.size, dtype=np.int32)
        if every.size <= FEW:
            sizes = np.array([every.size, 0], dtype=np.int64)
            return Fraction(self._small(every, sizes), UNIT)
        return self._total(every)

    def _total(self, places: Places) -> Fraction:
        """The total of a set of over `FEW` codes."""
        columns = np.ascontiguousarray(self._every[:, places])
        key = canonical_key(columns, self.rules)
        if key not in self._known:
            alike = Counter(self._symmetries.orbits(columns)[places].tolist())
            after = sum((times * self._after(places, guess) for guess, times in alike.items()), Fraction(0))
            self._known[key] = places.size + after / places.size
        return self._known[key]

    def _after(self, places: Places, guess: int) -> Fraction:
        """The totals of the parts that a guess leaves, added up."""
        sizes, grouped = group(self._table[guess], places, self._numbers)
        self._spend(places.size)
        small = self._small(grouped, sizes)
        ends = np.cumsum(sizes).tolist()
        large = [grouped[end - size : end] for end, size in zip(ends, sizes.tolist(), strict=True) if size > FEW]
        return sum(map(self._total, large), Fraction(small, UNIT))

    def _small(self, grouped: Places, sizes: NDArray[np.int64]) -> int:
        """The totals of the small parts, added up, in units."""
        small, work = small_parts_total(self._table, grouped, sizes, self._scratch)
        self._spend(work)
        return int(small)

    def _spend(self, work: int) -> None:
        self.work += work
        if self.work > self._budget:
            message = (
                f"the exact expectation on {self.rules} takes over {self._budget:,} feedback evaluations; simulate it"
            )
            raise OverBudgetError(message)
