"""Ranking: how good a guess is under a criterion, and which of two guesses is better, compiled and exact.

A guess has a *score*, an integer that is cheap to compute while the parts of the guess are counted, and that rules out
most guesses; smaller is better. If scores do not decide, part sizes do. `evilpegs_game.guessing.criteria` is the plain
definition for whole tables of part sizes.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.compiled import copy_into, kernel
from evilpegs_game.partition import Sizes

Weights = NDArray[np.int64]
"""The amount that a part of each size adds to the score of a guess: int64, indexed by part size from 0."""

LARGEST: Final = 0
"""The rule of minimax: the score is the size of the largest part, and the score decides alone."""
LISTS: Final = 1
"""The rule that compares the part sizes of guesses, sorted descending, as lists.

The score is the size of the largest part, and equal scores leave the decision to the lists. For small live sets the
score is the sum of the weights, which decides alone.
"""
SUMS: Final = 2
"""The rule of sums: the score is the sum of the weights of the part sizes, and the score decides alone."""
PRODUCTS: Final = 3
"""The rule of products: the product of n**n over the part sizes n decides.

The score is the logarithm of the product in units of 1 / `LOG_UNIT`, computed as the sum of the weights.
"""

LOG_UNIT: Final = 1 << 30
LOG_SLACK: Final = 1 << 12
"""Scores of equal products differ by less than this: 153 rounded terms, right to 15 digits, for up to 10**8 codes."""

_NO_LIMIT: Final = 1 << 62


class Measure(NamedTuple):
    """A criterion in the form that compiled code uses: a rule, and weights of part sizes.

    The rule is `LARGEST`, `LISTS`, `SUMS` or `PRODUCTS`. There is one weight per part size that can occur; `LISTS` has
    weights for small sizes only, `LARGEST` has none.
    """

    rule: int
    weights: Weights


class Best(NamedTuple):
    """The best guess so far, a record that compiled code updates in place.

    ``guess`` is uint8, shape (pegs,). ``score`` is its score, of which smaller is better: int64, shape (1,), negative
    while there is no guess. ``sizes`` are the part sizes of the guess, ascending, int64; they are maintained only if
    the rule is `LISTS` or `PRODUCTS`.
    """

    guess: NDArray[np.uint8]
    score: NDArray[np.int64]
    sizes: Sizes


@kernel
def no_guess(pegs: int) -> Best:
    """Return a `Best` that holds no guess yet; any guess of ``pegs`` pegs is better."""
    score = np.zeros(1, np.int64)
    score[0] = -1
    return Best(np.zeros(pegs, np.uint8), score, np.zeros((pegs + 1) * (pegs + 2) // 2, np.int64))


@kernel
def is_summed(measure: Measure, codes: int) -> bool:
    """Return True if the score of a guess at a live set of ``codes`` codes is the sum of the weights of its part sizes.

    Otherwise the score is the size of the largest part.
    """
    return bool(measure.rule >= SUMS or (measure.rule == LISTS and codes < measure.weights.size))


@kernel
def least_score(measure: Measure, codes: int) -> int:
    """Return the lowest possible score at ``codes`` candidates: that of a guess with a different feedback from each."""
    return int(codes * measure.weights[1]) if is_summed(measure, codes) else 1


@kernel
def score_limit(best: Best, measure: Measure, codes: int) -> int:
    """Return the greatest score that a guess better than ``best`` can have; ``codes`` is the number of candidates."""
    if best.score[0] < 0:
        return _NO_LIMIT
    if measure.rule == PRODUCTS:
        return int(best.score[0] + LOG_SLACK)
    if measure.rule == LISTS and not is_summed(measure, codes):
        return int(best.score[0])
    return int(best.score[0] - 1)


@kernel
def is_better(score: int, sizes: Sizes, best: Best, measure: Measure, codes: int) -> bool:
    """Return True if a guess with ``score`` and the part sizes ``sizes``, ascending, is strictly better than ``best``.

    ``codes`` is the number of candidates.
    """
    if score > score_limit(best, measure, codes):
        return False
    if best.score[0] < 0:
        return True
    if measure.rule == PRODUCTS:  # large numbers are multiplied only where logarithms cannot tell
        return score < best.score[0] - LOG_SLACK or _has_smaller_product(sizes, best.sizes, codes)
    if score == best.score[0]:  # so it is the largest part
        return _is_less(sizes, best.sizes)
    return True


@kernel
def keep_better(best: Best, other: Best, measure: Measure, codes: int) -> None:
    """Copy ``other`` into ``best`` if its guess is strictly better; ``codes`` is the number of candidates.

    Nothing happens if ``other`` holds no guess.
    """
    if other.score[0] >= 0 and is_better(other.score[0], other.sizes, best, measure, codes):
        copy_into(best.guess, other.guess)
        copy_into(best.score, other.score)
        copy_into(best.sizes, other.sizes)


@kernel
def sort_ascending(sizes: Sizes) -> None:
    """Sort ``sizes`` in place by insertion, which is fast for few sizes and quick to compile."""
    for i in range(1, sizes.size):
        size = sizes[i]
        j = i
        while j > 0 and sizes[j - 1] > size:
            sizes[j] = sizes[j - 1]
            j -= 1
        sizes[j] = size


@kernel
def _has_smaller_product(sizes: Sizes, others: Sizes, codes: int) -> bool:
    """Return True if the product of n**n over ``sizes`` is smaller than over ``others``, in exact integers.

    Both arrays have the same length and are ascending. Sizes that occur in both cancel out. ``codes`` is the number of
    candidates, which is the sum of the sizes in each array.
    """
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
    """Multiply ``number`` by size**size in place and return the number of digits that the product uses.

    ``number`` has digits of 31 bits, the lowest first, of which ``used`` are in use before the multiplication.
    """
    for _ in range(size):
        carry = 0
        for i in range(used):
            digit = number[i] * size + carry
            number[i] = digit & 0x7FFFFFFF
            carry = digit >> 31
        if carry:
            number[used] = carry
            used += 1
    return used


@kernel
def _is_less(number: Sizes, other: Sizes) -> bool:
    """Return True if ``number`` is less than ``other``, of equal length, compared from the last element down."""
    for i in range(number.size - 1, -1, -1):
        if number[i] != other[i]:
            return bool(number[i] < other[i])
    return False
