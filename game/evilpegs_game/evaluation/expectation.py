"""The hot loop of the expectation: live sets of few codes, every choice weighed, in whole numbers.

A *table* holds the feedback numbers of every code against every code: uint8, shape (codes, codes). *Places* are
indices of codes, int32. Totals are guesses in units of ``1 / UNIT``, which divides evenly all that occurs here: with n
codes one of n guesses is drawn at each turn and fewer codes are left, so their total is a multiple of 2 / n!.

Within one small set a *mask* is a subset of it, one bit a code. What is known of subsets stands in `Known`.

The expectation of guessing candidates at random: every choice weighed, exactly.

A codebreaker who draws each guess uniformly from the candidates needs, over all secrets of a live set S of n codes
together, T(S) = n + 1/n * (the sum of T over all parts but all-black of every guess in S). T is the same for sets that
a permutation of pegs and colors carries into each other, and of guesses that a symmetry of the set exchanges one
stands for all.
"""

from collections import Counter
from fractions import Fraction
from math import factorial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codemakers.small_sets import FeedbackMatrix, group_by_feedback
from evilpegs_game.codes import all_codes, column_code
from evilpegs_game.compiled import kernel
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import feedbacks
from evilpegs_game.partition import Indices, feedback_numbers
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import CodeSetKey, GuessSymmetries, code_set_key

FEW: Final = 16
"""Codes of a set that is totalled here; with a few more the whole numbers would not fit 63 bits."""

UNIT: Final = factorial(FEW) // 2

Whole = NDArray[np.int64]

Known = Whole
"""Totals by mask, and the number of the set each belongs to: int64, shape (2, 2**FEW). The latest is at ``[1, 0]``."""


def nothing_known() -> Known:
    """Scratch to begin with; 1 MB."""
    return np.zeros((2, 1 << FEW), np.int64)


@kernel
def small_parts_total(table: FeedbackMatrix, places: Indices, sizes: Whole, known: Known) -> tuple[int, int]:
    """The totals of the parts of at most `FEW` codes, added up, in units; and the work, in feedbacks looked at.

    ``places`` are part after part and ``sizes`` how many codes are in each part, the last all-black.
    """
    masks = np.empty((FEW, FEW), np.int64)
    counts = np.empty(FEW, np.int64)
    frames = np.empty((4, FEW + 2), np.int64)
    total, work, start = 0, 0, 0
    for number in range(sizes.size - 1):
        size = sizes[number]
        if 0 < size <= FEW:
            known[1, 0] += 1
            work += _part_masks(table, places[start : start + size], masks, counts)
            part, looked = _small_total(size, masks, counts, known, frames)
            total += part
            work += looked
        start += size
    return total, work


@kernel
def _part_masks(table: FeedbackMatrix, places: Indices, masks: Whole, counts: Whole) -> int:
    """Fill row i of ``masks`` with the ``counts[i]`` parts but all-black of guess i; gives the work."""
    numbers = np.empty(FEW, np.int64)
    for guess in range(places.size):
        row = table[places[guess]]
        count = 0
        for i in range(places.size):
            if i != guess:
                at = 0
                while at < count and numbers[at] != row[places[i]]:
                    at += 1
                if at == count:
                    numbers[at] = row[places[i]]
                    masks[guess, at] = 0
                    count += 1
                masks[guess, at] |= 1 << i
        counts[guess] = count
    return places.size * places.size


@kernel
def _small_total(codes: int, masks: Whole, counts: Whole, known: Known, frames: Whole) -> tuple[int, int]:
    """The total of a set of so many codes, and the work. A loop over ``frames`` takes the place of recursion.

    A frame is a subset (its mask), the guess and the part of it that come next, and the total so far.
    """
    subset, guess, part, total = frames[0], frames[1], frames[2], frames[3]
    total[0] = 0
    depth, work = 1, 0
    subset[1], guess[1], part[1], total[1] = (1 << codes) - 1, 0, 0, 0
    while depth:
        if guess[depth] == codes:
            value = _drawn_alike(subset[depth], total[depth])
            known[0, subset[depth]], known[1, subset[depth]] = value, known[1, 0]
            depth -= 1
            total[depth] += value
        elif not (subset[depth] >> guess[depth]) & 1 or part[depth] == counts[guess[depth]]:
            guess[depth] += 1
            part[depth] = 0
        else:
            rest = masks[guess[depth], part[depth]] & subset[depth]
            part[depth] += 1
            work += 1
            value = _known_total(rest, known)
            total[depth] += value
            if not value and rest:
                depth += 1
                subset[depth], guess[depth], part[depth], total[depth] = rest, 0, 0, 0
    return total[0], work


@kernel
def _drawn_alike(subset: int, after: int) -> int:
    """The total of a subset, given those of the parts of all its guesses."""
    size = 0
    while subset:
        subset &= subset - 1
        size += 1
    return size * UNIT + after // size


@kernel
def _known_total(subset: int, known: Known) -> int:
    """The total of a subset; 0 if it is empty or not known."""
    without_first = subset & (subset - 1)
    if not without_first:
        return UNIT if subset else 0
    if not without_first & (without_first - 1):
        return 3 * UNIT  # 1 + 2, whichever of the two comes first
    return known[0, subset] if known[1, subset] == known[1, 0] else 0


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
        self._symmetries = GuessSymmetries(rules, self._every)
        self._known: dict[CodeSetKey, Fraction] = {}
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

    def _total(self, places: Indices) -> Fraction:
        """The total of a set of over `FEW` codes."""
        columns = np.ascontiguousarray(self._every[:, places])
        key = code_set_key(columns, self.rules)
        if key not in self._known:
            alike = Counter(self._symmetries.orbits(columns)[places].tolist())
            after = sum((times * self._after(places, guess) for guess, times in alike.items()), Fraction(0))
            self._known[key] = places.size + after / places.size
        return self._known[key]

    def _after(self, places: Indices, guess: int) -> Fraction:
        """The totals of the parts that a guess leaves, added up."""
        sizes, grouped = group_by_feedback(self._table[guess], places, self._numbers)
        self._spend(places.size)
        small = self._small(grouped, sizes)
        ends = np.cumsum(sizes).tolist()
        large = [grouped[end - size : end] for end, size in zip(ends, sizes.tolist(), strict=True) if size > FEW]
        return sum(map(self._total, large), Fraction(small, UNIT))

    def _small(self, grouped: Indices, sizes: NDArray[np.int64]) -> int:
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
