"""The expected number of guesses when candidates are guessed at random, computed exactly from all possible choices.

A codebreaker who draws each guess uniformly from the candidates needs, over all secrets of a live set S of n codes
together, T(S) = n + 1/n * (the sum of T over all parts but all-black of every guess in S). T is equal for sets that a
permutation of pegs and colors maps to each other, and one guess represents all guesses that a symmetry of the set maps
to each other.

For sets of at most `SMALL_SET` codes, kernels compute T in integers. A *feedback matrix* holds the feedback number of
every code with every code: uint8, shape (codes, codes). Totals are guesses in units of ``1 / UNIT``, which divides all
values that occur here: with n codes one of n guesses is drawn at each turn and fewer codes are left, so their total is
a multiple of 2 / n!. Within one small set a *mask* is a subset, one bit per code. Work is counted in feedback
evaluations.
"""

from collections import Counter
from fractions import Fraction
from math import factorial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codemakers.small_sets import FeedbackMatrix, WorkBudget, group_by_feedback
from evilpegs_game.codes import all_codes, column_code
from evilpegs_game.errors import check_bound
from evilpegs_game.feedback import feedbacks
from evilpegs_game.kernels import kernel
from evilpegs_game.partition import Indices, feedback_numbers
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import CodeSetKey, GuessSymmetries, code_set_key

MAX_CODES: Final = 5040  # the feedback matrix takes its square in bytes, 25 MB

DEFAULT_BUDGET: Final = 10**8  # feedback evaluations, half a minute; 4x6 takes 11 million, 4x5 one million

SMALL_SET: Final = 16  # with a few more the integers would not fit 63 bits

UNIT: Final = factorial(SMALL_SET) // 2

Integers = NDArray[np.int64]

SubsetTotals = Integers
"""Totals of the subsets of small sets: shape (2, 2**SMALL_SET), the second index a mask.

Row 0 has the totals. Small sets are numbered in the order in which they are computed, and row 1 has the number of the
set that each total belongs to. The number of the latest set is at ``[1, 0]``; totals of earlier sets are not used.
"""


def expected_guesses(rules: Rules, budget: int = DEFAULT_BUDGET) -> Fraction:
    """Return the mean number of guesses over all secrets; raises TooLargeError and OverBudgetError."""
    return Expectation(rules, budget).total() / rules.size


class Expectation:
    """A computation of `expected_guesses`; raises TooLargeError if there are over `MAX_CODES` codes."""

    def __init__(self, rules: Rules, budget: int = DEFAULT_BUDGET) -> None:
        message = f"{rules} has {rules.size:,} codes; the exact expectation is for at most {MAX_CODES:,}"
        check_bound(rules.size, MAX_CODES, message)
        self.rules = rules
        self._budget = WorkBudget(budget, f"the exact expectation on {rules}")
        self._codes = all_codes(rules)
        self._matrix = np.stack([feedback_numbers(self._codes, column_code(self._codes, i)) for i in range(rules.size)])
        self._numbers = len(feedbacks(rules.pegs))
        self._symmetries = GuessSymmetries(rules, self._codes)
        self._known: dict[CodeSetKey, Fraction] = {}
        self._scratch = np.zeros((2, 1 << SMALL_SET), np.int64)  # 1 MB

    @property
    def work(self) -> int:
        return self._budget.work

    @property
    def entries(self) -> int:
        """Stored totals, one per live set of over `SMALL_SET` codes up to permutations of pegs and colors."""
        return len(self._known)

    def total(self) -> Fraction:
        """Return the expected number of guesses, summed over all codes as secrets; raises OverBudgetError."""
        every = np.arange(self.rules.size, dtype=np.int32)
        if every.size <= SMALL_SET:
            sizes = np.array([every.size, 0], dtype=np.int64)
            return Fraction(self._small_parts(every, sizes), UNIT)
        return self._total(every)

    def _total(self, indices: Indices) -> Fraction:
        columns = np.ascontiguousarray(self._codes[:, indices])
        key = code_set_key(columns, self.rules)
        if key not in self._known:
            alike = Counter(self._symmetries.orbits(columns)[indices].tolist())
            after = sum((times * self._total_after(indices, guess) for guess, times in alike.items()), Fraction(0))
            self._known[key] = indices.size + after / indices.size
        return self._known[key]

    def _total_after(self, indices: Indices, guess: int) -> Fraction:
        sizes, grouped = group_by_feedback(self._matrix[guess], indices, self._numbers)
        self._budget.spend(indices.size)
        small = self._small_parts(grouped, sizes)
        ends = np.cumsum(sizes).tolist()
        large = [grouped[end - size : end] for end, size in zip(ends, sizes.tolist(), strict=True) if size > SMALL_SET]
        return sum(map(self._total, large), Fraction(small, UNIT))

    def _small_parts(self, grouped: Indices, sizes: NDArray[np.int64]) -> int:
        small, work = small_parts_total(self._matrix, grouped, sizes, self._scratch)
        self._budget.spend(work)
        return int(small)


@kernel
def small_parts_total(
    matrix: FeedbackMatrix, indices: Indices, sizes: Integers, totals: SubsetTotals
) -> tuple[int, int]:
    """Return the total of all parts of at most `SMALL_SET` codes together, and the work.

    ``indices`` are the codes part after part. The last part is all-black and is left out. ``totals`` is working memory.
    """
    masks = np.empty((SMALL_SET, SMALL_SET), np.int64)
    counts = np.empty(SMALL_SET, np.int64)
    stack = np.empty((4, SMALL_SET + 2), np.int64)
    total, work, start = 0, 0, 0
    for number in range(sizes.size - 1):
        size = sizes[number]
        if 0 < size <= SMALL_SET:
            totals[1, 0] += 1
            work += _fill_part_masks(matrix, indices[start : start + size], masks, counts)
            part, part_work = _small_total(size, masks, counts, totals, stack)
            total += part
            work += part_work
        start += size
    return total, work


@kernel
def _fill_part_masks(matrix: FeedbackMatrix, indices: Indices, masks: Integers, counts: Integers) -> int:
    # row i of ``masks`` gets the ``counts[i]`` parts of guess i, without all-black
    numbers = np.empty(SMALL_SET, np.int64)
    for guess in range(indices.size):
        row = matrix[indices[guess]]
        count = 0
        for i in range(indices.size):
            if i != guess:
                at = 0
                while at < count and numbers[at] != row[indices[i]]:
                    at += 1
                if at == count:
                    numbers[at] = row[indices[i]]
                    masks[guess, at] = 0
                    count += 1
                masks[guess, at] |= 1 << i
        counts[guess] = count
    return indices.size * indices.size


@kernel
def _small_total(
    codes: int, masks: Integers, counts: Integers, totals: SubsetTotals, stack: Integers
) -> tuple[int, int]:
    # a loop replaces recursion: an entry is a subset, its next guess, the next part of that guess, and the total so far
    subset, guess, part, total = stack[0], stack[1], stack[2], stack[3]
    total[0] = 0
    depth, work = 1, 0
    subset[1], guess[1], part[1], total[1] = (1 << codes) - 1, 0, 0, 0
    while depth:
        if guess[depth] == codes:
            value = _mean_total(subset[depth], total[depth])
            totals[0, subset[depth]], totals[1, subset[depth]] = value, totals[1, 0]
            depth -= 1
            total[depth] += value
        elif not (subset[depth] >> guess[depth]) & 1 or part[depth] == counts[guess[depth]]:
            guess[depth] += 1
            part[depth] = 0
        else:
            rest = masks[guess[depth], part[depth]] & subset[depth]
            part[depth] += 1
            work += 1
            value = _stored_total(rest, totals)
            total[depth] += value
            if not value and rest:
                depth += 1
                subset[depth], guess[depth], part[depth], total[depth] = rest, 0, 0, 0
    return total[0], work


@kernel
def _mean_total(subset: int, after: int) -> int:
    size = 0
    while subset:
        subset &= subset - 1
        size += 1
    return size * UNIT + after // size


@kernel
def _stored_total(subset: int, totals: SubsetTotals) -> int:
    without_first = subset & (subset - 1)
    if not without_first:
        return UNIT if subset else 0
    if not without_first & (without_first - 1):
        return 3 * UNIT  # 1 + 2, whichever of the two comes first
    return totals[0, subset] if totals[1, subset] == totals[1, 0] else 0  # 0 if not stored
