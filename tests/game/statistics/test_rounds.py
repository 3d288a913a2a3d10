"""The table of a round against outside values, a plain permutation test, and tables whose claims can be seen."""

from itertools import combinations, permutations
from math import comb
from statistics import mean

import numpy as np
import pytest

from evilpegs_game.statistics import rounds
from evilpegs_game.statistics.rounds import (
    Entrant,
    fisher_probability,
    holm,
    permutation_probability,
    play_probabilities,
    round_table,
    student_probabilities,
)


@pytest.mark.parametrize(
    ("t", "freedom", "probability"),
    [
        # SciPy 1.17.1: 2 * stats.t.sf(t, freedom)
        (0.0, 7, 1.0),
        (0.001, 200, 0.9992031123011389),
        (0.5, 1, 0.7048327646991335),
        (2, 3.7, 0.12181720190523398),
        (3.9, 57.25, 0.0002552006316898464),
        (8, 12, 3.759898224750258e-06),
        (4.5, 412.3, 8.851346599442224e-06),
        (25, 300, 2.4796427119476775e-75),
        (1, 100_000, 0.3173129275641102),
    ],
)
def test_student_by_outside_values(t, freedom, probability):
    (found,) = student_probabilities(np.array([t**2]), np.array([float(freedom)]))
    assert found == pytest.approx(probability, rel=1e-9)


@pytest.mark.parametrize(
    ("one", "other", "probability"),
    [
        # SciPy 1.17.1: stats.fisher_exact
        ((0, 100), (5, 100), 0.059383210468586585),
        ((3, 250), (12, 250), 0.03251773858181587),
        ((1, 20), (0, 30), 0.4),
        ((7, 40), (7, 40), 1.0),
        ((10, 200), (30, 180), 0.0003309068414839286),
        ((0, 0), (1, 2), 1.0),
        # R. A. Fisher's lady tasting tea, all cups right: 2 / C(8, 4)
        ((0, 4), (4, 4), 2 / 70),
    ],
)
def test_fisher_by_outside_values(one, other, probability):
    assert fisher_probability(*one, *other) == pytest.approx(probability, rel=1e-12)
    assert fisher_probability(*other, *one) == fisher_probability(*one, *other)


def test_welch_by_outside_value():
    """SciPy 1.17.1: stats.ttest_ind(equal_var=False)."""
    samples = [np.array([4, 5, 5, 6, 4, 3, 5]), np.array([5, 6, 7, 5, 6, 6, 4, 8, 6])]
    assert play_probabilities(samples, [(0, 1)]) == pytest.approx([0.02774078891511707])


def plain_permutation(steady, others):
    pooled = [*steady, *others]
    drawn = [sum(draw) for draw in combinations(pooled, len(steady))]
    tails = (sum(each <= sum(steady) for each in drawn), sum(each >= sum(steady) for each in drawn))
    return min(1, 2 * min(tails) / len(drawn))


@pytest.mark.parametrize(
    ("steady", "others"),
    [([5] * 4, [6] * 5), ([5] * 4, [5, 5, 6, 7]), ([5], [3, 4, 4, 5]), ([5, 5], [6]), ([4] * 3, [4] * 4)],
)
def test_permutations_on_one_side_are_exact(steady, others):
    assert permutation_probability(np.array(steady), np.array(others)) == pytest.approx(
        plain_permutation(steady, others)
    )


@pytest.mark.parametrize(
    ("steady", "others"), [([5] * 4, [4, 6, 7, 7, 7, 8]), ([5], [4, 6, 6]), ([6] * 6, [5, 5, 5, 4, 7, 5])]
)
def test_permutations_on_both_sides_are_close_and_repeat(steady, others):
    found = permutation_probability(np.array(steady), np.array(others))
    assert found == pytest.approx(plain_permutation(steady, others), abs=0.01)
    assert found == permutation_probability(np.array(steady), np.array(others))


def test_holm_by_hand():
    """The thresholds are 0.0125, 0.0167, 0.025 and 0.05: 0.03 fails, and so does what comes after it."""
    assert holm([0.03, 0.001, 0.04, 0.016]) == [1, 3]
    assert holm([0.04, 0.01]) == [1, 0]
    assert holm([0.03, 0.03]) == []


def test_equal_constants_tie_and_different_ones_do_not():
    entrants = [Entrant("a", [5.0] * 20), Entrant("b", [5.0 + 1e-12] * 20), Entrant("c", [6] * 20)]
    rows = round_table(entrants, 10)
    assert [(row.place, row.name, row.mean, row.ahead_of) for row in rows] == [
        (1, "a", 5, ("c",)),
        (1, "b", 5, ("c",)),
        (3, "c", 6, ()),
    ]


def test_failures_count_the_limit_and_one_more():
    (better, worse) = round_table([Entrant("x", [4, 5], failed=2), Entrant("y", [4, 5, 6, 5])], 10)
    assert (better.name, better.mean, better.games, better.failed) == ("y", 5, 4, 0)
    assert (worse.name, worse.mean, worse.games, worse.failed) == ("x", mean([4, 5, 11, 11]), 4, 2)


def test_failures_are_no_bad_play():
    """Whoever fails a tenth of its games and plays alike fails more, and does not play worse."""
    scores = [4, 5, 5, 6] * 50
    first, second = round_table([Entrant("safe", scores), Entrant("risky", scores[:180], failed=20)], 10)
    assert first.fails_less_than == first.ahead_of == ("risky",)
    assert first.plays_better_than == second.plays_better_than == ()


def test_claims_against_each_other_leave_nobody_ahead():
    """One plays better and the other fails less; the mean alone decides the place."""
    fast = Entrant("fast", [3, 4, 3, 4] * 45, failed=20)
    steady = Entrant("steady", [5, 6, 5, 6] * 50)
    first, second = round_table([steady, fast], 10)
    assert (first.name, first.plays_better_than, first.ahead_of) == ("fast", ("steady",), ())
    assert (second.name, second.fails_less_than, second.ahead_of) == ("steady", ("fast",), ())


def test_who_did_not_solve_or_play_has_a_row():
    rows = round_table([Entrant("none", []), Entrant("lost", [], failed=3), Entrant("won", [4])], 10)
    assert [(row.place, row.name, row.mean) for row in rows] == [(1, "won", 4), (2, "lost", 11), (3, "none", None)]
    assert not any(row.ahead_of for row in rows)


def test_the_order_of_entrants_is_no_matter():
    entrants = [Entrant("a", [4, 5] * 20), Entrant("b", [5, 6] * 20), Entrant("c", [5] * 40, failed=9)]
    tables = [round_table(order, 10) for order in permutations(entrants)]
    assert all(table == tables[0] for table in tables)
    assert tables[0][0].ahead_of == ("b", "c")


def test_one_family_of_all_claims(monkeypatch):
    """Four entrants have twelve claims; with all but one at 1, the first has to be at most 0.05 / 12."""
    entrants = [Entrant(name, [5] * 3) for name in "abcd"]
    claimed = {}
    for probability in (0.05 / 12, 0.05 / 11):
        fake = [probability, *[1.0] * 5]
        monkeypatch.setattr(rounds, "play_probabilities", lambda *_, fake=fake: fake)
        claimed[probability] = any(row.plays_better_than for row in round_table(entrants, 10))
    assert list(claimed.values()) == [True, False]
    assert comb(4, 2) * 2 == 12
