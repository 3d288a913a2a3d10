"""Keys of part sizes, compiled: how good a guess is under a criterion, and which of two is better, exactly.

A guess has a *score*, an integer that is cheap to find while its parts are counted and that rules out most guesses.
Where scores do not decide, part sizes do. `evilpegs_game.guessing.criteria` says the same of whole tables, plainly.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.compiled import kernel
from evilpegs_game.partition import Sizes

Weights = NDArray[np.int64]
"""What a part of each size, from none up, adds to a score: int64."""

LARGEST: Final = 0
"""The score is the largest part, and decides."""
LISTS: Final = 1
"""The sizes sorted descending decide. The score is the largest part; of few codes, a sum that says all of it."""
SUMS: Final = 2
"""The score is the sum of the weights, and decides."""
PRODUCTS: Final = 3
"""The product of n**n decides. The score is its logarithm as the sum of the weights, in units of 1 / LOG_UNIT."""

LOG_UNIT: Final = 1 << 30
LOG_SLACK: Final = 1 << 12
"""Scores of equal products differ by less: 153 terms, each rounded and right to 15 digits, of 10**8 codes."""

_NO_LIMIT: Final = 1 << 62


class Measure(NamedTuple):
    """What the kernels need of a criterion: a rule (`LARGEST` and so on) and the weights.

    There is a weight for every size that can occur; `LISTS` has them for small sizes only, `LARGEST` has none.
    """

    rule: int
    weights: Weights


class Best(NamedTuple):
    """The best guess so far, uint8, shape (pegs,), and its score, int64, shape (1,): less than 0 if there is none.

    ``sizes`` are its part sizes, rising, int64; kept up only where the rule is `LISTS` or `PRODUCTS`.
    """

    guess: NDArray[np.uint8]
    score: NDArray[np.int64]
    sizes: Sizes


@kernel
def no_guess(pegs: int) -> Best:
    """A best guess that any other is better than."""
    return Best(np.zeros(pegs, np.uint8), np.full(1, -1), np.zeros((pegs + 1) * (pegs + 2) // 2, np.int64))


@kernel
def is_summed(measure: Measure, codes: int) -> bool:
    """Whether a score at so many codes is the sum of the weights, or the largest part."""
    return bool(measure.rule >= SUMS or (measure.rule == LISTS and codes < measure.weights.size))


@kernel
def least_score(measure: Measure, codes: int) -> int:
    """The score of a guess that tells all ``codes`` apart: no guess is better."""
    return int(codes * measure.weights[1]) if is_summed(measure, codes) else 1


@kernel
def score_limit(best: Best, measure: Measure, codes: int) -> int:
    """The greatest score that a guess better than the best can have."""
    if best.score[0] < 0:
        return _NO_LIMIT
    if measure.rule == PRODUCTS:
        return int(best.score[0] + LOG_SLACK)
    if measure.rule == LISTS and not is_summed(measure, codes):
        return int(best.score[0])
    return int(best.score[0] - 1)


@kernel
def is_better(score: int, sizes: Sizes, best: Best, measure: Measure, codes: int) -> bool:
    """Whether a guess with that score and these part sizes, rising, is better than the best; not only as good."""
    if score > score_limit(best, measure, codes):
        return False
    if best.score[0] < 0:
        return True
    if measure.rule == PRODUCTS:  # large numbers are multiplied only where logarithms cannot tell
        return score < best.score[0] - LOG_SLACK or _has_less_product(sizes, best.sizes, codes)
    if score == best.score[0]:  # so it is the largest part
        return _is_less(sizes, best.sizes)
    return True


@kernel
def keep_better(best: Best, other: Best, measure: Measure, codes: int) -> None:
    """Make ``best`` the ``other`` if that is better."""
    if other.score[0] >= 0 and is_better(other.score[0], other.sizes, best, measure, codes):
        best.guess[:] = other.guess
        best.score[:] = other.score
        best.sizes[:] = other.sizes


@kernel
def sort_rising(sizes: Sizes) -> None:
    """Sort in place; for few sizes, and quick to compile."""
    for i in range(1, sizes.size):
        size = sizes[i]
        j = i
        while j > 0 and sizes[j - 1] > size:
            sizes[j] = sizes[j - 1]
            j -= 1
        sizes[j] = size


@kernel
def _has_less_product(sizes: Sizes, others: Sizes, codes: int) -> bool:
    """Whether the product of n**n over ``sizes`` is less, in exact integers; sizes that both have cancel out."""
    if not _is_less(sizes, others) and not _is_less(others, sizes):
        return False
    product = np.zeros(codes + 2, np.int64)
    other_product = np.zeros(codes + 2, np.int64)
    product[0] = other_product[0] = 1
    used = other_used = 1
    i = j = 0
    while i < sizes.size or j < others.size:
        if j == others.size or (i < sizes.size and sizes[i] < others[j]):
            used = _times_power(product, used, sizes[i])
            i += 1
        elif i == sizes.size or others[j] < sizes[i]:
            other_used = _times_power(other_product, other_used, others[j])
            j += 1
        else:
            i += 1
            j += 1
    return _is_less(product, other_product)


@kernel
def _times_power(number: Sizes, used: int, size: int) -> int:
    """Multiply by size**size, in digits of 31 bits, the lowest first, of which so many are ``used``: then used."""
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
    """Whether the first of two of one length is less, compared from the end."""
    for i in range(number.size - 1, -1, -1):
        if number[i] != other[i]:
            return bool(number[i] < other[i])
    return False
