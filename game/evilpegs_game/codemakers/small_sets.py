"""Breaking small live sets: whether one guess, or one and then another, is enough, over every guess of the rules.

These are the hot loops under `evilpegs_game.codemakers.worst_case`. A *table* holds feedback numbers: uint8, shape
(codes, guesses) where one loop runs over guesses, (guesses, codes) where it runs over codes. *Places* are indices of
codes, int32, rising. The last feedback number is all-black, whose part needs nothing more. *Work* counts the feedbacks
that were looked up.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.compiled import kernel
from evilpegs_game.partition import Indices, Numbers

FeedbackMatrix = NDArray[np.uint8]
"""Feedback numbers of pairs of a code and a guess: uint8, two axes, C-contiguous."""

FeedbackSets = NDArray[np.uint64]
"""Sets of feedback numbers, one bit each: uint64, one a guess."""

MAX_FEEDBACKS: Final = 64
"""Feedbacks that rules may have here: a set of them is one word."""


@kernel
def some_guess_separates(by_code: FeedbackMatrix, places: Indices, seen: FeedbackSets, twice: FeedbackSets) -> bool:
    """Whether some guess tells all ``places`` apart. ``seen`` and ``twice`` are scratch, one entry a guess."""
    seen[:] = 0
    twice[:] = 0
    for i in range(places.size):
        row = by_code[places[i]]
        for g in range(row.size):
            bit = np.uint64(1) << np.uint64(row[g])
            twice[g] |= seen[g] & bit
            seen[g] |= bit
    return bool((twice == 0).any())


@kernel
def rank_guesses(by_guess: FeedbackMatrix, places: Indices, numbers: int, limit: int) -> tuple[Indices, int]:
    """The guesses that split ``places`` and leave no part over ``limit``; and the work.

    They are indices of guesses, int32, the most promising first: the least sum of squared part sizes, of equal ones
    candidates, of these the first in code order.
    """
    kept = 0
    work = 0
    guesses = np.empty(by_guess.shape[0], np.int32)
    scores = np.empty(by_guess.shape[0], np.int64)
    counts = np.empty(numbers, np.int32)
    for g in range(by_guess.shape[0]):
        row = by_guess[g]
        counts[:] = 0
        fits = True
        for i in range(places.size):
            number = row[places[i]]
            counts[number] += 1
            work += 1
            if counts[number] > limit:
                fits = False
                break
        if fits and counts.max() < places.size:
            guesses[kept] = g
            scores[kept] = 2 * (counts * counts).sum() + (counts[numbers - 1] == 0)
            kept += 1
    order = np.argsort(scores[:kept], kind="mergesort")
    return guesses[:kept][order], work


@kernel
def solvable_in_three(
    by_code: FeedbackMatrix, by_guess: FeedbackMatrix, places: Indices, numbers: int, limit: int
) -> tuple[bool, int]:
    """Whether three guesses, the winning one included, are always enough; and the work.

    ``limit`` is at least the number of codes that two guesses can tell apart.
    """
    guesses, work = rank_guesses(by_guess, places, numbers, limit)
    seen = np.empty(by_code.shape[1], np.uint64)
    twice = np.empty(by_code.shape[1], np.uint64)
    parts = np.empty((numbers, min(limit, places.size)), np.int32)
    sizes = np.empty(numbers, np.int32)
    for g in guesses:
        row = by_guess[g]
        sizes[:] = 0
        for i in range(places.size):
            number = row[places[i]]
            parts[number, sizes[number]] = places[i]
            sizes[number] += 1
        work += places.size
        enough = True
        for size in range(parts.shape[1], 2, -1):  # two codes are told apart by guessing one
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
def group_by_feedback(row: Numbers, places: Indices, numbers: int) -> tuple[NDArray[np.int64], Indices]:
    """The part sizes under a guess whose feedback numbers are ``row``, and ``places`` part after part, rising."""
    sizes = np.zeros(numbers, np.int64)
    for i in range(places.size):
        sizes[row[places[i]]] += 1
    following = np.cumsum(sizes) - sizes
    grouped = np.empty(places.size, np.int32)
    for i in range(places.size):
        number = row[places[i]]
        grouped[following[number]] = places[i]
        following[number] += 1
    return sizes, grouped
