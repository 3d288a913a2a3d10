from math import log, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS, TWO_PLY

PLAIN_KEYS = {
    MINIMAX: max,
    LEXICOGRAPHIC: lambda sizes: sorted(sizes, reverse=True),
    EXPECTED_SIZE: lambda sizes: sum(size * size for size in sizes),
    ENTROPY: lambda sizes: prod(size**size for size in sizes),
    MOST_PARTS: lambda sizes: sizes.count(0),
    TWO_PLY: lambda sizes: sum(map(further_guesses, sizes)) - (sizes[-1] << 20),
}


def further_guesses(size):
    """Return the guesses after the next one that a part of this size takes, in 2**-20."""
    return sum(round((1 + 0.35 * log(1 + (codes - 2) / 8)) * 2**20) for codes in range(2, size + 1))


def table_of(*guesses):
    return np.array(guesses, dtype=np.int32).T.copy()


@st.composite
def tables(draw):
    """Draw part sizes of a few guesses against the same candidates, with many ties."""
    parts, total = draw(st.integers(1, 6)), draw(st.integers(1, 12))
    cuts = st.lists(st.integers(0, total), min_size=parts - 1, max_size=parts - 1).map(sorted)
    sizes = cuts.map(lambda cut: [b - a for a, b in zip([0, *cut], [*cut, total], strict=True)])
    return draw(st.lists(sizes, min_size=1, max_size=12))


@pytest.mark.parametrize("criterion", PLAIN_KEYS, ids=lambda criterion: criterion.name)
@settings(deadline=None)
@given(guesses=tables())
def test_criterion_best_has_least_plain_key(criterion, guesses):
    keys = [PLAIN_KEYS[criterion](sizes) for sizes in guesses]
    expected = [index for index, key in enumerate(keys) if key == min(keys)]
    assert criterion.best(table_of(*guesses)).tolist() == expected


def test_entropy_ties_are_exact():
    # 4**4 = 2**2 * 2**2 * 2**2 * 2**2: equal although the parts differ and the floats might.
    assert ENTROPY.best(table_of([4, 1, 1, 1, 1], [2, 2, 2, 2, 0], [3, 2, 1, 1, 1])).tolist() == [2]
    assert ENTROPY.best(table_of([4, 1, 1, 1, 1], [2, 2, 2, 2, 0])).tolist() == [0, 1]


def test_entropy_decides_close_sums_in_integers():
    close = table_of([5_001, 4_999], [5_000, 5_000], [5_000, 5_000])
    assert ENTROPY.refine(close).tolist() == [1, 2]


def test_two_ply_prefers_candidates_and_many_small_parts():
    alike = table_of([1, 2, 2, 0], [1, 2, 1, 1], [2, 2, 1, 0])
    assert TWO_PLY.best(alike).tolist() == [1]
    assert TWO_PLY.measure(5).weights.tolist()[:3] == [0, 0, 1 << 20]


def test_expected_size_squares_do_not_overflow():
    assert EXPECTED_SIZE.best(table_of([10**9, 1], [10**9 - 1, 2])).tolist() == [1]
