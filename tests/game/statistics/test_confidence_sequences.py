"""Anytime-valid intervals: the fast forms equal the plain ones, and their errors are counted exactly."""

import math
from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.statistics.confidence_sequences import (
    FRACTIONS,
    SHARES,
    TUNED_FOR,
    asymptotic_half_width,
    betting_intervals,
    deviation,
)
from support import plain_intervals
from support.plain_intervals import betting_interval

PLAIN_SHARES = dict(zip(FRACTIONS.tolist(), SHARES.tolist(), strict=True))
LEVELS = st.sampled_from([0.5, 0.05, 0.001, 1e-9])
MINIMAX = [1] * 1 + [2] * 6 + [3] * 62 + [4] * 533 + [5] * 694
"""The scores of minimax against all secrets of 4x6."""
SOURCES = {
    "strategy": MINIMAX,
    "with failed games": [*MINIMAX, *[11] * 68],
    "evil": [5, *[6] * 18, 7],
    "equal": [6],
}


def sums(scores):
    return len(scores), sum(scores), sum(score * score for score in scores)


class TestBetting:
    @settings(deadline=None)
    @given(st.lists(st.integers(1, 11), max_size=40), LEVELS)
    def test_interval_equals_plain_version(self, scores, level):
        expected = plain_intervals.mixed_interval(scores, 1, 11, level, PLAIN_SHARES)
        assert betting_interval(Counter(scores), 1, 11, level) == pytest.approx(expected, abs=1e-9)

    @given(st.sampled_from([(0, 1), (1, 11), (1, 25)]), LEVELS)
    def test_one_highest_score_has_closed_form(self, bounds, level):
        """K+ is linear after one game: 1 + C (1 / m - 1), where C is the expected fraction."""
        lowest, highest = bounds
        bet = sum(fraction * share for fraction, share in PLAIN_SHARES.items())
        low, high = betting_interval({highest: 1}, lowest, highest, level)
        assert low == pytest.approx(lowest + (highest - lowest) * bet / (bet + 2 / level - 1), abs=1e-9)
        assert high == highest

    @given(st.lists(st.integers(1, 11), min_size=1, max_size=1_000), LEVELS)
    def test_interval_holds_sample_mean_inside_range(self, scores, level):
        low, high = betting_interval(Counter(scores), 1, 11, level)
        assert 1 <= low <= sum(scores) / len(scores) <= high <= 11
        assert low < high

    @given(st.dictionaries(st.integers(1, 11), st.integers(0, 10**6), min_size=1), st.sampled_from([0.05, 0.001]))
    def test_smaller_level_has_wider_interval(self, counts, level):
        low, high = betting_interval(counts, 1, 11, level)
        wide_low, wide_high = betting_interval(counts, 1, 11, level / 100)
        assert wide_low <= low <= high <= wide_high

    @given(st.dictionaries(st.integers(1, 11), st.integers(0, 10**6)), LEVELS)
    def test_mirrored_scores_have_mirrored_interval(self, counts, level):
        low, high = betting_interval(counts, 1, 11, level)
        mirrored = betting_interval({12 - score: count for score, count in counts.items()}, 1, 11, level)
        assert mirrored == pytest.approx((12 - high, 12 - low), abs=1e-9)

    def test_rows_do_not_depend_on_each_other(self):
        draw = Random(1)
        rows = [[draw.choice([0, 0, 1, 20, 3_000]) for _ in range(11)] for _ in range(1_500)]
        levels = [0.05 / (1 + draw.randrange(1_000)) for _ in rows]
        together = betting_intervals(rows, 1, 11, levels)
        for index in range(0, len(rows), 100):
            alone = betting_intervals([rows[index]], 1, 11, levels[index])
            assert together[index].tolist() == alone[0].tolist()

    def test_no_game_leaves_whole_range(self):
        assert betting_interval({}, 1, 11, 0.05) == (1, 11)
        assert betting_intervals(np.zeros((0, 11)), 1, 11, 0.05).shape == (0, 2)

    @pytest.mark.parametrize("score", [1, 6, 11])
    def test_equal_scores_keep_width(self, score):
        """The interval of a million equal scores is narrow, and it is not a point."""
        widths = []
        for games in (1, 20, 1_000, 10**6):
            low, high = betting_interval({score: games}, 1, 11, 0.05)
            assert low <= score <= high
            widths.append(high - low)
        assert widths == sorted(widths, reverse=True)
        assert 0 < widths[-1] < 1e-4

    @pytest.mark.parametrize(
        ("counts", "lowest", "highest", "level"),
        [
            ([[1, 2]], 1, 11, 0.05),
            ([1] * 11, 1, 11, 0.05),
            ([[1] * 10 + [-1]], 1, 11, 0.05),
            ([[1]], 1, 1, 0.05),
            ([[1] * 11], 1, 11, 0.0),
            ([[1] * 11], 1, 11, 1.0),
        ],
    )
    def test_impossible_arguments_are_refused(self, counts, lowest, highest, level):
        with pytest.raises(ValueError, match=r"counts|levels"):
            betting_intervals(counts, lowest, highest, level)


class TestWidth:
    """Widths beside the hedged bets of the paper. Its authors' package, confseq, has no wheels to compare with."""

    @pytest.mark.parametrize("games", [20, 1_000])
    @pytest.mark.parametrize("source", SOURCES)
    def test_width_is_close_to_hedged_bets(self, source, games):
        mixed = hedged = 0.0
        for seed in range(max(1, 1_000 // games)):
            scores = Random(f"{source} {seed}").choices(SOURCES[source], k=games)
            low, high = betting_interval(Counter(scores), 1, 11, 0.05)
            plain_low, plain_high = plain_intervals.hedged_interval(scores, 1, 11, 0.05)
            mixed, hedged = mixed + high - low, hedged + plain_high - plain_low
        assert 0.7 < mixed / hedged < 1.05


def miss_probability(chance, interval_of, first, last):
    """Return the exact probability that an interval ever misses the mean between ``first`` and ``last`` games.

    Each game scores 1 with probability ``chance`` and else 0. ``interval_of`` maps (games, ones) to an interval.
    """
    alive, missed = np.array([1.0]), 0.0
    for games in range(1, last + 1):
        alive = np.append(alive, 0.0) * (1 - chance) + np.append(0.0, alive) * chance
        if games >= first:
            out = np.array([not low <= chance <= high for low, high in interval_of(games)])
            missed += alive[out].sum()
            alive[out] = 0.0
    return missed


def betting_rows(games):
    return betting_intervals([[games - ones, ones] for ones in range(games + 1)], 0, 1, 0.05)


def asymptotic_rows(games):
    halves = [asymptotic_half_width(games, ones, ones, 0.05) for ones in range(games + 1)]
    return [(ones / games - half, ones / games + half) for ones, half in enumerate(halves)]


class TestErrors:
    @pytest.mark.parametrize("chance", [0.02, 0.1, 0.5])
    def test_wealth_is_martingale(self, chance):
        """The expected wealth against the true mean is 1 after any number of games."""
        for games in (1, 7, 30):
            terms = (
                math.comb(games, ones)
                * chance**ones
                * (1 - chance) ** (games - ones)
                * math.exp(plain_intervals.log_wealth([1] * ones + [0] * (games - ones), chance, PLAIN_SHARES))
                for ones in range(games + 1)
            )
            assert math.fsum(terms) == pytest.approx(1, abs=1e-9)

    @pytest.mark.parametrize("chance", [0.02, 0.1, 0.5])
    def test_betting_interval_rarely_ever_misses(self, chance):
        assert 0.0001 < miss_probability(chance, betting_rows, 1, 200) <= 0.05

    def test_asymptotic_interval_misses_rare_scores(self):
        """The control: where equal scores hide a rare one, the asymptotic interval misses far too often."""
        assert miss_probability(0.02, asymptotic_rows, 20, 200) > 0.5


class TestAsymptotic:
    @pytest.mark.parametrize("level", [0.05, 0.05 / 4_000])
    @pytest.mark.parametrize("games", [2, 3, 10, 100, 1_000])
    def test_half_width_follows_formula_of_paper(self, games, level):
        scores = Random(games).choices(range(1, 12), k=games)
        expected = plain_intervals.asymptotic_half_width(scores, level, TUNED_FOR)
        assert asymptotic_half_width(*sums(scores), level) == pytest.approx(expected, rel=1e-12)

    def test_sums_are_exact(self):
        """Scores around 4 guesses in millionths, a million times, with a deviation of one millionth."""
        scores = [4_000_000, 4_000_002]
        games, total, squares = (number * 10**6 for number in sums(scores))
        assert deviation(games, total, squares) == pytest.approx(1, rel=1e-6)

    @pytest.mark.parametrize("games", [0, 1])
    def test_too_few_games_are_refused(self, games):
        with pytest.raises(ValueError, match=f"{games} games"):
            asymptotic_half_width(games, 5, 25, 0.05)

    def test_equal_scores_have_zero_width(self):
        assert asymptotic_half_width(*sums([5] * 10), 0.05) == 0
