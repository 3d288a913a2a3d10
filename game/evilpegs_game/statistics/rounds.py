"""The table of a round: entrants who each played a number of games that was fixed before.

Two claims are tested for each pair of entrants. One *plays better* if the scores of its solved games have a lower mean,
by Welch's test; one *fails less* by Fisher's exact test. They are apart, because a test of means with failures in them
is wrong: with 1 % failures against none and equal means, it tells entrants apart in 37 % of rounds of 100 games. All
claims of a round are one family of Holm's: the probability that any of them is wrong is at most `ALPHA`.

All p-values are two-sided, so a pair costs two tests whichever entrant is better.

Sources: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979);
B. L. Welch, The generalization of "Student's" problem, Biometrika 34 (1947).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, count
from math import comb, inf, lgamma
from typing import Final

import numpy as np
from numpy.typing import NDArray

ALPHA: Final = 0.05
"""The greatest probability that any claim of a round is wrong."""
PERMUTATIONS: Final = 99_999
"""Random ones, with `SEED`, where a permutation test is not exact."""
SEED: Final = 1
_MILLION: Final = 1_000_000
_CHUNK: Final = 5_000

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_Pair = tuple[int, int]  # of indices


@dataclass(frozen=True, slots=True)
class Entrant:
    """A name, the scores of its solved games, luck-adjusted or all raw, and the number of games it did not solve."""

    name: str
    scores: Sequence[float]
    failed: int = 0

    @property
    def games(self) -> int:
        return len(self.scores) + self.failed


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A row of the table; equal means share the place, and a row without games has no mean and the last place.

    A row is ahead of another with at least one claim for it and none against.
    """

    place: int
    name: str
    mean: float | None
    games: int
    failed: int
    ahead_of: tuple[str, ...]
    plays_better_than: tuple[str, ...]
    fails_less_than: tuple[str, ...]


def round_table(entrants: Sequence[Entrant], guess_limit: int) -> list[RoundRow]:
    """Return the rows by place, then name; in means a failure counts ``guess_limit`` + 1.

    Scores are compared in millionths of a guess. Names must differ.
    """
    # whole millionths, so that scores that are equal but for rounding tie
    scores = [np.rint(np.asarray(each.scores, dtype=np.float64) * _MILLION).astype(np.int64) for each in entrants]
    failure = (guess_limit + 1) * _MILLION
    totals = [int(own.sum()) + each.failed * failure for own, each in zip(scores, entrants, strict=True)]
    means = [total / each.games / _MILLION if each.games else inf for total, each in zip(totals, entrants, strict=True)]
    better, safer = _claims(scores, entrants)
    either = better | safer
    ahead = {(winner, loser) for winner, loser in either if (loser, winner) not in either}
    rows = []
    for index, (each, mean) in enumerate(zip(entrants, means, strict=True)):
        others = [
            tuple(sorted(entrants[loser].name for winner, loser in claims if winner == index))
            for claims in (ahead, better, safer)
        ]
        place = 1 + sum(other < mean for other in means)
        rows.append(RoundRow(place, each.name, mean if each.games else None, each.games, each.failed, *others))
    return sorted(rows, key=lambda row: (row.place, row.name))


def _claims(scores: Sequence[Integers], entrants: Sequence[Entrant]) -> tuple[set[_Pair], set[_Pair]]:
    # pairs of a winner and a loser: plays better, fails less
    pairs = list(combinations(range(len(entrants)), 2))
    tests = play_probabilities(scores, pairs)
    for first, second in pairs:
        one, other = entrants[first], entrants[second]
        tests.append(fisher_probability(one.failed, one.games, other.failed, other.games))
    better, safer = set[_Pair](), set[_Pair]()
    for index in holm(tests):
        first, second = pairs[index % len(pairs)]
        one, other = entrants[first], entrants[second]
        if index < len(pairs):
            better.add((first, second) if scores[first].mean() < scores[second].mean() else (second, first))
        else:
            is_first = one.failed * other.games < other.failed * one.games
            safer.add((first, second) if is_first else (second, first))
    return better, safer


def holm(probabilities: Sequence[float], alpha: float = ALPHA) -> list[int]:
    """Return the indices of the rejected hypotheses of one family, the least probable first."""
    order = sorted(range(len(probabilities)), key=probabilities.__getitem__)
    for rank, index in enumerate(order):
        if probabilities[index] > alpha / (len(order) - rank):
            return order[:rank]
    return order


def play_probabilities(scores: Sequence[Integers], pairs: Sequence[_Pair]) -> list[float]:
    """Return the p-value of each pair of samples: Welch's, or a permutation test's if a sample does not vary."""
    sizes = np.array([len(each) for each in scores], dtype=np.float64)
    varies = [len(set(each.tolist())) > 1 for each in scores]
    means = np.array([each.mean() if len(each) else 0.0 for each in scores])
    errors = np.array([each.var(ddof=1) / len(each) if len(each) > 1 else 0.0 for each in scores])
    found = np.ones(len(pairs))
    for index, (first, second) in enumerate(pairs):
        if len(scores[first]) and len(scores[second]) and not (varies[first] and varies[second]):
            steady, others = (second, first) if varies[first] else (first, second)
            found[index] = permutation_probability(scores[steady], scores[others])
    welch = [index for index, (first, second) in enumerate(pairs) if varies[first] and varies[second]]
    if welch:
        one, other = np.array([pairs[index] for index in welch]).T
        error = errors[one] + errors[other]
        freedom = error**2 / (errors[one] ** 2 / (sizes[one] - 1) + errors[other] ** 2 / (sizes[other] - 1))
        found[welch] = student_probabilities((means[one] - means[other]) ** 2 / error, freedom)
    return found.tolist()


def permutation_probability(steady: Integers, others: Integers) -> float:
    """Return the p-value of a permutation test of two means, the smaller tail doubled; ``steady`` are equal integers.

    It is exact unless ``others`` lie on both sides of ``steady``; else `PERMUTATIONS` random ones estimate it, which
    are the same in each call.
    """
    value = steady[0]
    size, pooled = len(steady), len(steady) + len(others)
    if (others >= value).all() or (others <= value).all():
        # only a draw of nothing but this value is as extreme
        equal = size + int((others == value).sum())
        return min(1.0, 2 * comb(equal, size) / comb(pooled, size))
    values, counts = np.unique(np.concatenate([steady, others]) - value, return_counts=True)
    rng = np.random.default_rng(SEED)
    low = high = 0
    for start in range(0, PERMUTATIONS, _CHUNK):
        draws = min(_CHUNK, PERMUTATIONS - start)
        sums = rng.multivariate_hypergeometric(counts, size, draws, method="marginals") @ values
        low, high = low + int((sums <= 0).sum()), high + int((sums >= 0).sum())
    return min(1.0, 2 * (min(low, high) + 1) / (PERMUTATIONS + 1))


# entrants of a round have few different numbers of failures, and most pairs repeat
@lru_cache(maxsize=8_192)
def fisher_probability(failed: int, games: int, other_failed: int, other_games: int) -> float:
    """Return the two-sided p-value of Fisher's exact test: all tables that are at most as probable count."""
    both = failed + other_failed
    possible = range(max(0, both - other_games), min(games, both) + 1)
    tables = [comb(games, first) * comb(other_games, both - first) for first in possible]
    observed = tables[failed - possible.start]
    return sum(table for table in tables if table <= observed) / sum(tables)


def student_probabilities(squares: Floats, freedom: Floats) -> Floats:
    """Return the two-sided p-values of Student's t, from the squares of t; degrees of freedom may be fractions."""
    # P(|t| > T) is the regularized incomplete beta function I_x(n/2, 1/2) at x = n / (n + T^2)
    half = freedom / 2
    x, rest = freedom / (freedom + squares), squares / (freedom + squares)
    gammas = [lgamma(each + 0.5) - lgamma(each) - lgamma(0.5) for each in half.tolist()]
    with np.errstate(divide="ignore"):
        factor = np.exp(np.array(gammas) - half * np.log1p(squares / freedom) + 0.5 * np.log(rest))
    # the continued fraction converges fast on one side of the mean only; the other one follows by symmetry
    direct = x < (half + 1) / (half + 2.5)
    a, b = np.where(direct, half, 0.5), np.where(direct, 0.5, half)
    tail = factor * _beta_fraction(np.where(direct, x, rest), a, b) / a
    return np.where(direct, tail, 1 - tail)


def _beta_fraction(x: Floats, a: Floats, b: Floats) -> Floats:
    # Lentz's method for the fraction 26.5.8 in Abramowitz and Stegun, Handbook of Mathematical Functions (1964)
    above, below = np.ones_like(x), 1 / (1 - (a + b) * x / (a + 1))
    value = below.copy()
    for m in count(1):
        before = value
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            below, above = 1 / (1 + term * below), 1 + term / above
            value = value * above * below
        if (np.abs(value - before) <= 1e-15 * np.abs(value)).all():
            return value
    raise AssertionError  # pragma: no cover - the fraction converges
