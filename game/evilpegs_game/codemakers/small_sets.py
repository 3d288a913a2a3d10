"""Compiled loops for small live sets, which decide whether two or three guesses are enough.

They are the inner loops of `evilpegs_game.codemakers.worst_case` and try every guess of the rules. A *matrix* holds the
feedback numbers (indices in `feedbacks`) of pairs of a code and a guess: ``by_code`` has shape (codes, guesses) for
loops over guesses, ``by_guess`` (guesses, codes) for loops over codes. Sets of codes are ascending indices of codes,
int32. The last feedback number is all-black, whose part needs no further guess. *Work* is a number of feedback
evaluations.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.compiled import kernel
from evilpegs_game.partition import Indices, Numbers, Sizes, sort_into_parts

FeedbackMatrix = NDArray[np.uint8]
"""Feedback numbers of pairs of a code and a guess: uint8, two axes, C-contiguous."""

FeedbackSets = NDArray[np.uint64]
"""A set of feedback numbers for each guess: uint64, shape (guesses,); bit ``n`` is 1 if number ``n`` is in the set."""

MAX_FEEDBACKS: Final = 64
"""The most feedbacks that rules may have here, because a set of feedbacks is one word of 64 bits."""


@kernel
def some_guess_separates(by_code: FeedbackMatrix, indices: Indices, seen: FeedbackSets, twice: FeedbackSets) -> bool:
    """Return True if some guess gets a different feedback from each of the codes at ``indices``.

    ``by_code``, shape (codes, guesses), has the feedback numbers. ``seen`` and ``twice`` are working memory with one
    element per guess. The inner loop runs over guesses, because compilers make vector instructions of such a loop.
    Calling `evilpegs_game.partition.separates` for each guess in turn takes 5 times as long for ten codes of 4x6 or
    4x8, and never much less for more than four codes.
    """
    seen[:] = 0
    twice[:] = 0
    for i in range(indices.size):
        row = by_code[indices[i]]
        for g in range(row.size):
            bit = np.uint64(1) << np.uint64(row[g])
            twice[g] |= seen[g] & bit
            seen[g] |= bit
    return bool((twice == 0).any())


@kernel
def rank_guesses(by_guess: FeedbackMatrix, indices: Indices, numbers: int, limit: int) -> tuple[Indices, int]:
    """Return the guesses that split the codes at ``indices`` into parts of at most ``limit`` codes, and the work.

    ``by_guess``, shape (guesses, codes), has the feedback numbers, and ``numbers`` is the number of feedbacks. The
    guesses are indices, int32, the most promising first: in order of the sum of squared part sizes; of equal sums,
    guesses that are one of the codes come first, then code order decides. Guesses with a single part are left out. The
    work is the number of feedback evaluations.
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
        for i in range(indices.size):
            number = row[indices[i]]
            counts[number] += 1
            work += 1
            if counts[number] > limit:
                fits = False
                break
        if fits and counts.max() < indices.size:
            guesses[kept] = g
            scores[kept] = 2 * (counts * counts).sum() + (counts[numbers - 1] == 0)
            kept += 1
    order = np.argsort(scores[:kept], kind="mergesort")
    return guesses[:kept][order], work


@kernel
def solvable_in_three(
    by_code: FeedbackMatrix, by_guess: FeedbackMatrix, indices: Indices, numbers: int, limit: int
) -> tuple[bool, int]:
    """Return two results: True if three guesses always suffice for the codes at ``indices``, and the work.

    The winning guess is one of the three. ``by_code`` and ``by_guess`` have the feedback numbers, with the shapes
    (codes, guesses) and (guesses, codes). ``numbers`` is the number of feedbacks. ``limit`` is an upper bound on the
    codes of a part that two guesses can solve: guesses with larger parts are not tried. The work is the number of
    feedback evaluations.
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
    """Return two arrays: the part sizes of a guess, and the codes at ``indices`` grouped by part.

    ``row`` has the feedback number of the guess against each code. ``numbers`` is the number of feedbacks. The sizes
    are int64, one per feedback. The codes are indices in the order of the feedback numbers; those of one part keep
    their order.
    """
    sizes, order = sort_into_parts(row[indices], numbers)
    return sizes, indices[order]
