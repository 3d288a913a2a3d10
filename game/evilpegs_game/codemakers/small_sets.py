"""What searches of small sets of codes share: a budget of work, bounds from sizes alone, and compiled loops.

Work is counted in feedback evaluations and not timed, so that results do not depend on the speed of the machine.

With F feedbacks one code is found with the first guess, at most F - 1 with the second, (F - 1)**2 with the third, and
so on: behind every feedback except all-black stands one more guess. Source: K. Koyama and T. W. Lai, An optimal
Mastermind strategy, Journal of Recreational Mathematics 25 (1993).

The loops decide if two or three guesses are enough. A *matrix* holds the feedback numbers of codes and guesses:
``by_code`` has shape (codes, guesses) for loops over guesses, ``by_guess`` (guesses, codes) for loops over codes. Sets
of codes are ascending indices. ``numbers`` is the number of feedbacks, of which all-black is the last.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.errors import OverBudgetError
from evilpegs_game.feedback import feedbacks
from evilpegs_game.kernels import kernel
from evilpegs_game.partition import Indices, Numbers, Sizes, sort_into_parts
from evilpegs_game.rules import Rules

UNBOUNDED_WORK: Final = 1 << 62

Ints = NDArray[np.int64]
FeedbackMatrix = NDArray[np.uint8]
"""Feedback numbers of pairs of a code and a guess: two axes, C-contiguous."""

FeedbackSets = NDArray[np.uint64]
"""A set of feedback numbers for each guess, shape (guesses,): bit ``n`` stands for number ``n``."""

MAX_FEEDBACKS: Final = 64  # a set of feedbacks is one 64-bit word


class WorkBudget:
    """The feedback evaluations of one computation, up to a limit; ``subject`` begins the error message.

    ``report`` is called each time some were done.
    """

    def __init__(self, limit: int | None, subject: str, report: Callable[[], None] | None = None) -> None:
        self.work = 0
        self.is_bounded = limit is not None
        self._limit = UNBOUNDED_WORK if limit is None else limit
        self._subject = subject
        self._report = report

    @property
    def left(self) -> int:
        """Negative if too many were done."""
        return self._limit - self.work

    def spend(self, work: int) -> None:
        """Count ``work``; raise OverBudgetError beyond the limit."""
        self.work += work
        if self._report:
            self._report()
        self.check(0)

    def check(self, work: int) -> None:
        """Raise OverBudgetError if ``work`` more would exceed the limit; count nothing."""
        if work > self.left:
            raise OverBudgetError(f"{self._subject} takes more than the budget of {self._limit:,} feedback evaluations")


def least_possible_total(codes: int, rules: Rules) -> int:
    """Return a lower bound on the total of any ``codes`` codes of ``rules``."""
    parts = other_feedback_count(rules)
    total, guess, most = 0, 1, 1
    while codes > 0:
        total += guess * min(codes, most)
        codes, guess, most = codes - most, guess + 1, most * max(1, parts)
    return total


def other_feedback_count(rules: Rules) -> int:
    """Return the number of possible feedbacks besides all-black."""
    # (pegs - 1, 1) is impossible: if all other pegs are right, the last one cannot be merely misplaced
    return len(feedbacks(rules.pegs)) - 2


def least_total_table(most_parts: int, codes: int) -> Ints:
    """Return lower bounds on totals: int64, shape (most_parts + 1, codes + 1).

    The element ``[b, n]`` is the bound for any n codes that no guess splits into more than b parts besides all-black.
    """
    table = np.zeros((most_parts + 1, codes + 1), dtype=np.int64)
    for parts in range(most_parts + 1):
        start, most, guess = 0, 1, 1
        marginal = np.empty(codes, dtype=np.int64)
        while start < codes:
            marginal[start : start + most] = guess
            start, most, guess = start + most, most * max(1, parts), guess + 1
        table[parts, 1:] = np.cumsum(marginal)
    return table


def max_codes_within(rules: Rules) -> tuple[int, ...]:
    """Return, at index k, an upper bound on the codes that k guesses can solve; the last covers all codes."""
    most = [0, 1]
    while most[-1] < rules.size:
        most.append(1 + other_feedback_count(rules) * most[-1])
    return tuple(most)


@kernel
def some_guess_separates(by_code: FeedbackMatrix, indices: Indices, seen: FeedbackSets, twice: FeedbackSets) -> bool:
    """Return True if some guess gets a different feedback from each of the codes at ``indices``.

    ``seen`` and ``twice`` are working memory with one element per guess.
    """
    seen[:] = 0
    twice[:] = 0
    for i in range(indices.size):
        row = by_code[indices[i]]
        # over guesses, which vectorizes: calling `separates` per guess takes 5 times as long for ten codes of 4x6 or
        # 4x8, and never much less for more than four codes
        for g in range(row.size):
            bit = np.uint64(1) << np.uint64(row[g])
            twice[g] |= seen[g] & bit
            seen[g] |= bit
    separates = False
    for g in range(twice.size):
        separates |= twice[g] == 0
    return bool(separates)


@kernel
def rank_guesses(by_guess: FeedbackMatrix, indices: Indices, numbers: int, limit: int) -> tuple[Indices, int]:
    """Return the guesses that split the codes at ``indices`` into parts of at most ``limit`` codes, and the work.

    The most promising come first: by the least sum of squared part sizes, then codes of the set, then code order.
    Guesses with a single part are left out.
    """
    kept = 0
    work = 0
    entries = np.empty(by_guess.shape[0], np.int64)  # a guess with its score above it
    counts = np.empty(numbers, np.int32)
    for g in range(by_guess.shape[0]):
        row = by_guess[g]
        counts[:] = 0
        fits = True
        for i in range(indices.size):
            number = row[indices[i]]
            counts[number] += 1
            work += 1
            if counts[number] > limit:
                fits = False
                break
        if not fits:
            continue
        score = parts = 0
        for number in range(numbers):
            score += 2 * np.int64(counts[number]) * counts[number]
            parts += counts[number] > 0
        if parts > 1:
            entries[kept] = ((score + (counts[numbers - 1] == 0)) << 32) + g
            kept += 1
    entries[:kept].sort()
    guesses = np.empty(kept, np.int32)
    for index in range(kept):
        guesses[index] = entries[index] & 0xFFFFFFFF
    return guesses, work


@kernel
def solvable_in_three(
    by_code: FeedbackMatrix, by_guess: FeedbackMatrix, indices: Indices, numbers: int, limit: int
) -> tuple[bool, int]:
    """Return True if three guesses always suffice for the codes at ``indices``; and the work.

    ``limit`` bounds the codes of a part that two guesses can solve: guesses with larger parts are not tried.
    """
    guesses, work = rank_guesses(by_guess, indices, numbers, limit)
    seen = np.empty(by_code.shape[1], np.uint64)
    twice = np.empty(by_code.shape[1], np.uint64)
    parts = np.empty((numbers, min(limit, indices.size)), np.int32)
    sizes = np.empty(numbers, np.int32)
    for g in guesses:
        row = by_guess[g]
        sizes[:] = 0
        for i in range(indices.size):
            number = row[indices[i]]
            parts[number, sizes[number]] = indices[i]
            sizes[number] += 1
        work += indices.size
        enough = True
        for size in range(parts.shape[1], 2, -1):  # guessing one of two codes separates them
            for number in range(numbers - 1):
                if enough and sizes[number] == size:
                    work += size * by_code.shape[1]
                    enough = some_guess_separates(by_code, parts[number, :size], seen, twice)
            if not enough:
                break
        if enough:
            return True, work
    return False, work


@kernel
def group_by_feedback(row: Numbers, indices: Indices, numbers: int) -> tuple[Sizes, Indices]:
    """Return the part sizes of a guess, whose feedback numbers are ``row``, and the codes grouped by part."""
    sizes, order = sort_into_parts(row[indices], numbers)
    return sizes, indices[order]
