"""Criteria: what makes a guess good, as a measure over the sizes of its parts.

They are the plain definition of the kernels of `evilpegs_game.guessing.ranking`, which see one guess at a time.
`evilpegs_game.guessing.selection` decides between equally good guesses. The strategies of the criteria, in
`evilpegs_clients.strategies.heuristics`, name their sources.
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

from evilpegs_game.guessing.ranking import LARGEST, LISTS, LOG_UNIT, PRODUCTS, SUMS, TOTALS, Measure, Weights
from evilpegs_game.partition import SizeTable

GuessIndices = NDArray[np.intp]
"""Columns of a table of part sizes, ascending."""

TOTAL_UNIT: Final = 1 << 20  # of a guess
_LISTED_CODES: Final = 40  # so that the weights of `_list_weights`, and sums of them, fit 63 bits


@dataclass(frozen=True, slots=True)
class Criterion:
    """A measure over the part sizes of guesses; smaller values are better.

    ``score`` maps a table of part sizes to one number per guess, if a float with a relative error of at most ``slack``.
    ``refine`` maps the table of the guesses with equal scores to the best of them; without it they are equally good.
    ``rule`` and ``weigh`` define the same criterion for `evilpegs_game.guessing.ranking`: ``weigh(n)`` returns the
    weights of all part sizes up to n.
    """

    name: str
    score: Callable[[SizeTable], NDArray[np.int64] | NDArray[np.float64]]
    rule: int
    weigh: Callable[[int], Weights]
    refine: Callable[[SizeTable], GuessIndices] | None = None
    slack: float = 0.0

    def __reduce__(self) -> str:
        return self.name.upper().replace("-", "_")  # the constant itself, because criteria are compared by identity

    def best(self, table: SizeTable) -> GuessIndices:
        """Return the best guesses in ``table``, exactly equal under this criterion; there is at least one."""
        scores = self.score(table)
        least = scores.min()
        tied = np.flatnonzero(scores <= least + self.slack * (1 + least) if self.slack else scores == least)
        if self.refine is None or tied.size == 1:
            return tied
        return tied[self.refine(table[:, tied])]

    def measure(self, codes: int) -> Measure:
        """Return the compiled form for live sets of at most ``codes`` codes."""
        return Measure(self.rule, self.weigh(codes))


def _largest(table: SizeTable) -> NDArray[np.int64]:
    return np.asarray(table.max(axis=0), dtype=np.int64)


def _least_lists(table: SizeTable) -> GuessIndices:
    ranked = -np.sort(-table, axis=0)
    indices = np.arange(table.shape[1])
    for sizes in ranked:
        remaining = sizes[indices]
        indices = indices[remaining == remaining.min()]
    return indices


def _least_products(table: SizeTable) -> GuessIndices:
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


def _list_weights(codes: int) -> Weights:  # noqa: ARG001
    weights = [0, 1]
    # a part weighs more than any set of smaller parts that have at most _LISTED_CODES codes together
    for _ in range(2, _LISTED_CODES + 1):
        weights.append(1 + max(_LISTED_CODES * weight // size for size, weight in enumerate(weights[1:], 1)))
    return np.array(weights, dtype=np.int64)


def _logarithms(codes: int) -> Weights:
    sizes = np.arange(codes + 1, dtype=np.float64)
    return np.rint(LOG_UNIT * sizes * np.log(np.maximum(sizes, 1))).astype(np.int64)


def _further_guesses(codes: int) -> Weights:
    # The guesses after the next one that n candidates need together. While a candidate tells all others apart, that is
    # one for each other; the more there are, the more each adds, as the logarithm of n over the replies. The constants
    # are those with the least totals on 4x6, 4x8, 5x6, 5x7, 5x8 and 6x6, of 20 pairs tried; most differ by 0.05 %.
    added = 1 + 0.35 * np.log1p(np.maximum(np.arange(codes + 1) - 2, 0) / 8)
    added[:2] = 0
    return np.cumsum(np.rint(TOTAL_UNIT * added).astype(np.int64))


def _totals(table: SizeTable) -> NDArray[np.int64]:
    weights = _further_guesses(int(table.max()))
    return np.asarray(weights[table].sum(axis=0) - TOTAL_UNIT * table[-1], dtype=np.int64)


MINIMAX: Final = Criterion(
    name="minimax",
    score=_largest,
    rule=LARGEST,
    weigh=lambda _: np.zeros(0, dtype=np.int64),
)

LEXICOGRAPHIC: Final = Criterion(
    name="lexicographic",
    score=_largest,
    rule=LISTS,
    weigh=_list_weights,
    refine=_least_lists,
)

EXPECTED_SIZE: Final = Criterion(
    name="expected-size",
    score=lambda table: (table.astype(np.int64) ** 2).sum(axis=0),
    rule=SUMS,
    weigh=lambda codes: np.arange(codes + 1, dtype=np.int64) ** 2,
)

ENTROPY: Final = Criterion(
    name="entropy",
    score=lambda table: (table * np.log(np.maximum(table, 1))).sum(axis=0),
    rule=PRODUCTS,
    weigh=_logarithms,
    refine=_least_products,
    slack=1e-12,  # a sum of at most 153 logarithms is right to 1e-13
)

MOST_PARTS: Final = Criterion(
    name="most-parts",
    score=lambda table: -(table != 0).sum(axis=0, dtype=np.int64),
    rule=SUMS,
    weigh=lambda codes: np.maximum(np.arange(codes + 1, dtype=np.int64) - 1, 0),
)

TWO_PLY: Final = Criterion(name="two-ply", score=_totals, rule=TOTALS, weigh=_further_guesses)
