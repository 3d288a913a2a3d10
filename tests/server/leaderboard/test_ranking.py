"""Levels of versions, and ranks from intervals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.leaderboard.intervals import LEVEL, version_level
from evilpegs_server.leaderboard.leaderboard import rank_intervals


def test_levels_of_all_versions_add_up():
    """The first 100,000 levels and the integral that bounds the rest from above."""
    rest = LEVEL * 6 / math.pi**2 / 100_000
    assert math.fsum(map(version_level, range(1, 100_001))) + rest == pytest.approx(LEVEL, rel=1e-9)
    assert version_level(1) / version_level(7) == pytest.approx(49)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3)), max_size=12))
def test_ranks_equal_those_of_comparing_pairs(drawn):
    intervals = [(low, low + width) for low, width in drawn]
    ranks = rank_intervals(intervals)
    assert len(ranks) == len(intervals)
    for (low, high), (rank, worst) in zip(intervals, ranks, strict=True):
        assert rank == 1 + sum(other_high < low for _, other_high in intervals)
        assert worst == sum(not other_low > high for other_low, _ in intervals)


def test_touching_intervals_share_rank():
    assert rank_intervals([(1, 2), (2, 3)]) == [(1, 2), (1, 2)]
    assert rank_intervals([(1, 2), (2.001, 3)]) == [(1, 1), (2, 2)]
