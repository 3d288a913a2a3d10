"""Criteria: what makes a guess good, as a measure over the sizes of its parts.

Each takes a table of part sizes (int32, shape (feedbacks, guesses)) and says, exactly, which of the
guesses are best. It knows nothing of codes: deciding between equally good guesses is `selection`'s.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import and_
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.partition import SizeTable

Places = NDArray[np.intp]
"""Places of guesses in a table of part sizes, rising."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """A measure over part sizes, smaller is better.

    ``score`` gives one number a guess: int64, or float64 that is right within ``slack`` (relative).
    ``refine`` gives, of the guesses that ``score`` cannot tell apart, the places of the best.
    """

    name: str
    measures: str
    source: str
    score: Callable[[SizeTable], NDArray[np.int64] | NDArray[np.float64]]
    refine: Callable[[SizeTable], Places] | None = None
    slack: float = 0.0

    def best(self, table: SizeTable) -> Places:
        """The places of the best guesses, all exactly equal under this criterion; at least one."""
        scores = self.score(table)
        least = scores.min()
        tied = np.flatnonzero(scores <= least + self.slack * (1 + least) if self.slack else scores == least)
        if self.refine is None or tied.size == 1:
            return tied
        return tied[self.refine(table[:, tied])]


def _largest(table: SizeTable) -> NDArray[np.int64]:
    return np.asarray(table.max(axis=0), dtype=np.int64)


def _sum_of_squares(table: SizeTable) -> NDArray[np.int64]:
    wide = table.astype(np.int64)
    return np.asarray((wide * wide).sum(axis=0))


def _sum_of_logs(table: SizeTable) -> NDArray[np.float64]:
    """Sum of n ln n over the parts: ln of the product of n**n."""
    return np.asarray((table * np.log(np.maximum(table, 1))).sum(axis=0))


def _minus_parts(table: SizeTable) -> NDArray[np.int64]:
    return np.asarray(-(table != 0).sum(axis=0, dtype=np.int64))


def _least_lists(table: SizeTable) -> Places:
    """The guesses whose sizes, sorted descending, make the least list."""
    ranked = -np.sort(-table, axis=0)
    places = np.arange(table.shape[1])
    for sizes in ranked:
        left = sizes[places]
        places = places[left == left.min()]
    return places


def _least_products(table: SizeTable) -> Places:
    """The guesses with the least product of n**n, in exact integers."""
    ranked = np.sort(table, axis=0)
    if (ranked == ranked[:, :1]).all():
        return np.arange(table.shape[1])
    multisets = [tuple(sizes) for sizes in ranked.T.tolist()]
    counters = {multiset: Counter(multiset) for multiset in set(multisets)}
    shared = reduce(and_, counters.values())
    products = {key: _product(counter - shared) for key, counter in counters.items()}
    least = min(products.values())
    return np.flatnonzero([products[multiset] == least for multiset in multisets])


def _product(sizes: Counter[int]) -> int:
    return prod(size ** (size * times) for size, times in sizes.items())


MINIMAX: Final = Criterion(
    name="minimax",
    measures="the largest part",
    source="D. E. Knuth, The Computer as Master Mind, Journal of Recreational Mathematics 9 (1976-77)",
    score=_largest,
)

LEXICOGRAPHIC: Final = Criterion(
    name="lexicographic",
    measures="the part sizes sorted descending, compared as lists",
    source="minimax carried on to the second largest part and so on; the first step is Knuth's (1976-77)",
    score=_largest,
    refine=_least_lists,
)

EXPECTED_SIZE: Final = Criterion(
    name="expected-size",
    measures="the sum of squared part sizes: the candidates expected to be left, times how many there are",
    source="R. W. Irving, Towards an optimum Mastermind strategy, J. of Recreational Mathematics 11 (1978-79)",
    score=_sum_of_squares,
)

ENTROPY: Final = Criterion(
    name="entropy",
    measures="the sum of n ln n over the part sizes: least where the feedback tells most",
    source="E. Neuwirth, Some strategies for Mastermind, Zeitschrift fuer Operations Research 26 (1982)",
    score=_sum_of_logs,
    refine=_least_products,
    slack=1e-12,  # a sum of at most 153 logarithms is right to 1e-13
)

MOST_PARTS: Final = Criterion(
    name="most-parts",
    measures="the number of non-empty parts, more is better",
    source="B. Kooi, Yet another Mastermind strategy, ICGA Journal 28 (2005)",
    score=_minus_parts,
)
