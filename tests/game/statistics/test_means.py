from math import sqrt
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.statistics.means import PairedDifference

PAIRS = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=200)


def difference_of(pairs):
    return PairedDifference.of(bytes(one for one, _ in pairs), bytes(other for _, other in pairs))


@given(PAIRS)
def test_paired_difference_by_textbook(pairs):
    differences = [one - other for one, other in pairs]
    paired = difference_of(pairs)
    assert paired.mean == pytest.approx(mean(differences))
    if len(set(differences)) == 1:
        assert paired.interval is paired.games_to_separate is None
        assert (1 - paired.most_other) ** len(pairs) == pytest.approx(0.05)
        return
    assert paired.most_other is None
    low, high = paired.interval
    assert (low + high) / 2 == pytest.approx(paired.mean)
    quantile = (high - low) / 2 / (stdev(differences) / sqrt(len(pairs)))
    assert 1.95996 < quantile < 12.71


@pytest.mark.parametrize("differ", [0, 1])
def test_equal_differences_bound_the_share_of_others(differ):
    """The bound is about 3 divided by the number of games; equal differences alone never separate two strategies."""
    for games in (100, 10_000):
        paired = difference_of([(4 + differ, 4)] * games)
        assert paired.most_other == pytest.approx(3 / games, rel=0.02)
        assert not paired.is_separated
    assert difference_of([(4 + differ, 4)]).most_other == pytest.approx(0.95)


def test_pairing_narrows_interval():
    """Both strategies need more guesses on hard secrets, and one of them always one more."""
    easy, hard = (3, 4), (8, 9)
    paired = difference_of([easy, hard] * 20 + [(4, 4)])
    assert paired.is_separated
    low, high = paired.interval
    assert high - low < 0.2 < stdev([3, 8] * 20 + [4]) / sqrt(41)


@pytest.mark.parametrize("games", [50, 400, 20_000])
def test_games_to_separate_just_separate(games):
    """The interval of that many games with the same mean and spread excludes 0; that of somewhat fewer does not."""
    pairs = [(5, 4)] * 11 + [(4, 5)] * 9
    needed = difference_of(pairs * (games // 20)).games_to_separate
    assert difference_of(pairs * (needed // 20 + 2)).is_separated
    assert not difference_of(pairs * (needed // 20 - 2)).is_separated


def test_equal_strategies_are_never_separated():
    paired = difference_of([(4, 5), (5, 4)])
    assert (paired.mean, paired.is_separated, paired.games_to_separate) == (0, False, None)
    assert PairedDifference.of(b"\4\5", b"\4\5").interval is None


@pytest.mark.parametrize(("lengths", "others"), [(b"", b""), (b"\4", b"\4\4")])
def test_unequal_numbers_of_games_are_not_paired(lengths, others):
    with pytest.raises(ValueError, match=f"{len(lengths)} and {len(others)} "):
        PairedDifference.of(lengths, others)
