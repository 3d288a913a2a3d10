"""Ranking: how good a guess is under a criterion, and which of two guesses is better, compiled and exact.

A *score* is an integer that is cheap to compute while the parts of the guess are counted, and that rules out most
guesses; smaller is better. If scores do not decide, part sizes do. `evilpegs_game.guessing.criteria` is the plain
definition for whole tables of part sizes.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.kernels import copy_into, kernel
from evilpegs_game.partition import Sizes

Weights = NDArray[np.int64]
"""The amount that a part adds to the score, indexed by part size."""

LARGEST: Final = 0
"""The score is the size of the largest part and decides alone (minimax)."""
LISTS: Final = 1
"""The part sizes, sorted descending, are compared as lists.

The score is the size of the largest part, and equal scores leave the decision to the lists. For small live sets the
score is the sum of the weights, which decides alone.
"""
SUMS: Final = 2
"""The score is the sum of the weights of the part sizes and decides alone."""
PRODUCTS: Final = 3
"""The product of n**n over the part sizes n decides.

The score is its logarithm in units of 1 / `LOG_UNIT`, computed as the sum of the weights.
"""

TOTALS: Final = 4
"""As `SUMS`, but all-black, which ends the game, adds nothing, and the best guesses are compared two plies deep."""

LOG_UNIT: Final = 1 << 30
# scores of equal products differ by less: 153 rounded terms, right to 15 digits, for up to 10**8 codes
LOG_SLACK: Final = 1 << 12

NO_LIMIT: Final = 1 << 62


class Measure(NamedTuple):
    """A criterion for compiled code; `LISTS` has weights for small sizes only, `LARGEST` has none."""

    rule: int
    weights: Weights


class Best(NamedTuple):
    """The best guess so far, or with `TOTALS` the best guesses, updated in place by compiled code.

    ``score`` has one element per guess, ascending, negative where there is none, and ``guess`` the pegs of all.
    ``sizes`` are the part sizes, ascending; they are maintained only if the rule is `LISTS` or `PRODUCTS`.
    """

    guess: NDArray[np.uint8]
    score: NDArray[np.int64]
    sizes: Sizes


@kernel
def no_guess(pegs: int, listed: int) -> Best:
    score = np.zeros(listed, np.int64)
    score[:] = -1
    return Best(np.zeros(listed * pegs, np.uint8), score, np.zeros((pegs + 1) * (pegs + 2) // 2, np.int64))


@kernel
def is_summed(measure: Measure, codes: int) -> bool:
    """Return True if the score is a sum of weights, otherwise it is the largest part size."""
    return bool(measure.rule >= SUMS or (measure.rule == LISTS and codes < measure.weights.size))


@kernel
def least_score(measure: Measure, codes: int) -> int:
    """Return the lowest possible score: that of a guess with a different feedback from each candidate."""
    return int(codes * measure.weights[1]) if is_summed(measure, codes) else 1


@kernel
def score_limit(best: Best, measure: Measure, codes: int) -> int:
    """Return the greatest score that a guess better than the last of ``best`` can have."""
    if best.score[-1] < 0:
        return NO_LIMIT
    if measure.rule == PRODUCTS:
        return int(best.score[0] + LOG_SLACK)
    if measure.rule == LISTS and not is_summed(measure, codes):
        return int(best.score[0])
    return int(best.score[-1] - 1)


@kernel
def is_better(score: int, sizes: Sizes, best: Best, measure: Measure, codes: int) -> bool:
    """Return True if a guess is strictly better than the last of ``best``; ``sizes`` are ascending."""
    if score > score_limit(best, measure, codes):
        return False
    if best.score[-1] < 0:
        return True
    if measure.rule == PRODUCTS:  # large numbers are multiplied only where logarithms cannot tell
        return score < best.score[0] - LOG_SLACK or _has_smaller_product(sizes, best.sizes, codes)
    if measure.rule == LISTS and score == best.score[0]:  # so it is the largest part
        return _is_less(sizes, best.sizes)
    return True


@kernel
def end_with_all_black(best: Best, measure: Measure) -> None:
    """Take the guess that all-black saves off the scores of ``best``, all of candidates, if the rule counts it."""
    if measure.rule == TOTALS:
        for index in range(best.score.size):
            if best.score[index] > 0:  # otherwise no guess is better
                best.score[index] -= measure.weights[2]


@kernel
def keep_guess(guess: NDArray[np.uint8], score: int, sizes: Sizes, best: Best, measure: Measure, codes: int) -> None:
    """Put a guess into ``best`` if it is strictly better than the last one there; ``sizes`` may be sorted."""
    if measure.rule in (LISTS, PRODUCTS):
        sort_ascending(sizes)
    if not is_better(score, sizes, best, measure, codes):
        return
    copy_into(best.sizes, sizes)
    pegs, index = guess.size, best.score.size - 1
    while index and not 0 <= best.score[index - 1] <= score:
        best.score[index] = best.score[index - 1]
        for peg in range(pegs):
            best.guess[index * pegs + peg] = best.guess[index * pegs - pegs + peg]
        index -= 1
    best.score[index] = score
    for peg in range(pegs):
        best.guess[index * pegs + peg] = guess[peg]


@kernel
def keep_better(best: Best, other: Best, measure: Measure, codes: int) -> None:
    """Copy ``other`` into ``best`` if it holds a strictly better guess."""
    if other.score[0] >= 0 and is_better(other.score[0], other.sizes, best, measure, codes):
        copy_into(best.guess, other.guess)
        copy_into(best.score, other.score)
        copy_into(best.sizes, other.sizes)


@kernel
def sort_ascending(sizes: Sizes) -> None:
    # insertion is fast for few sizes and quick to compile
    for i in range(1, sizes.size):
        size = sizes[i]
        j = i
        while j > 0 and sizes[j - 1] > size:
            sizes[j] = sizes[j - 1]
            j -= 1
        sizes[j] = size


@kernel
def _has_smaller_product(sizes: Sizes, others: Sizes, codes: int) -> bool:
    if not _is_less(sizes, others) and not _is_less(others, sizes):
        return False
    product = np.zeros(codes + 2, np.int64)
    other_product = np.zeros(codes + 2, np.int64)
    product[0] = other_product[0] = 1
    used = other_used = int(np.int64(1))
    i = j = 0
    while i < sizes.size or j < others.size:
        if j == others.size or (i < sizes.size and sizes[i] < others[j]):
            used = _multiply_by_power(product, used, sizes[i])
            i += 1
        elif i == sizes.size or others[j] < sizes[i]:
            other_used = _multiply_by_power(other_product, other_used, others[j])
            j += 1
        else:
            i += 1
            j += 1
    return _is_less(product, other_product)


@kernel
def _multiply_by_power(number: Sizes, used: int, size: int) -> int:
    for _ in range(size):
        carry = 0
        for i in range(used):
            # digits of 31 bits, the lowest first
            digit = number[i] * size + carry
            number[i] = digit & 0x7FFFFFFF
            carry = digit >> 31
        if carry:
            number[used] = carry
            used += 1
    return used


@kernel
def _is_less(number: Sizes, other: Sizes) -> bool:
    for i in range(number.size - 1, -1, -1):
        if number[i] != other[i]:
            return bool(number[i] < other[i])
    return False
