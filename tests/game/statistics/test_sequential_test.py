"""The sequential test: its stopping rule against a plain version, and its errors in simulations."""

from math import log
from statistics import mean, variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.errors import MalformedError
from evilpegs_game.luck.game_luck import load_value_curve
from evilpegs_game.rules import Rules
from evilpegs_game.statistics.sequential_test import BOUND, FIRST_PAIRS, VARIANCE_MARGIN, Hypotheses, SequentialTest
from support.all_games import scores

USUAL = Hypotheses()
TRIALS, MOST_PAIRS = 2000, 12_000


def plain_verdict(differences, hypotheses):
    """Return the verdict and the pairs after which the test stops, by the textbook's sum of log-likelihoods."""
    for pairs in range(30, len(differences) + 1):
        seen = differences[:pairs]
        spread = max(variance(seen), abs(hypotheses.alternative - hypotheses.null)) * (1 + 2 / pairs**0.5)
        ratio = sum(
            ((each - hypotheses.null) ** 2 - (each - hypotheses.alternative) ** 2) / (2 * spread) for each in seen
        )
        if abs(ratio) >= log(0.95 / 0.05):
            return "alternative" if ratio > 0 else "null", pairs
    return None, len(differences)


def run_test(differences, hypotheses):
    test = SequentialTest(hypotheses)
    for difference in differences:
        test.add(difference)
        if test.verdict is not None:
            break
    return test


@given(
    null=st.sampled_from([0.0, 0.1, -0.3]),
    alternative=st.sampled_from([-0.5, -0.02, 1.0]),
    differences=st.lists(st.floats(-3, 3), max_size=60),
    repeats=st.integers(1, 5),
)
def test_stopping_rule_equals_plain_version(null, alternative, differences, repeats):
    hypotheses, games = Hypotheses(null, alternative), differences * repeats
    test = run_test(games, hypotheses)
    assert (test.verdict, test.pairs) == plain_verdict(games, hypotheses)
    if test.pairs > 1:
        assert test.mean == pytest.approx(mean(games[: test.pairs]), abs=1e-12)
        assert test.variance == pytest.approx(variance(games[: test.pairs]), abs=1e-9)


@pytest.mark.parametrize(("difference", "verdict"), [(-1.0, "alternative"), (1.0, "null"), (0.0, None)])
def test_clear_differences_decide_at_the_first_look(difference, verdict):
    test = run_test([difference] * (FIRST_PAIRS - 1), USUAL)
    assert test.verdict is None
    test.add(difference)
    assert test.verdict == verdict


def test_equal_games_are_called_equal_late():
    """After 30 equal pairs, a difference of one guess in every fiftieth game may still come."""
    test = run_test([0.0] * 1000, USUAL)
    assert test.verdict == "null"
    assert test.pairs >= 2 * BOUND / 0.02


@pytest.mark.parametrize("numbers", [(0.0, 0.0), (0.0, float("nan")), (float("inf"), 0.0)])
def test_hypotheses_that_no_test_tells_apart_are_refused(numbers):
    with pytest.raises(MalformedError):
        Hypotheses(*numbers)


def decisions(differences, hypotheses, rng, least_variance=None, margin=VARIANCE_MARGIN):
    """Return the fractions of tests that accept the alternative and the null hypothesis, all tests at once.

    ``differences`` are those of all secrets; each pair draws one of them.
    """
    null, alternative = hypotheses.null, hypotheses.alternative
    least = abs(hypotheses.alternative - hypotheses.null) if least_variance is None else least_variance
    total, squares, accepted = np.zeros(TRIALS), np.zeros(TRIALS), np.zeros(TRIALS)
    for start in range(0, MOST_PAIRS, 200):
        (running,) = np.nonzero(accepted == 0)
        if not running.size:
            break
        drawn = rng.choice(differences, (running.size, 200))
        pairs = np.arange(start + 1, start + 201)
        sums = total[running, None] + drawn.cumsum(axis=1)
        sums_of_squares = squares[running, None] + (drawn**2).cumsum(axis=1)
        spread = np.maximum((sums_of_squares - sums**2 / pairs) / np.maximum(pairs - 1, 1), least)
        spread *= 1 + margin / np.sqrt(pairs)
        ratios = (alternative - null) * (2 * sums - pairs * (alternative + null)) / (2 * spread)
        ratios[:, pairs < FIRST_PAIRS] = 0
        first = (np.abs(ratios) >= BOUND).argmax(axis=1)
        last = ratios[np.arange(running.size), first]
        accepted[running] = np.where(np.abs(last) >= BOUND, np.sign(last), 0)
        total[running], squares[running] = sums[:, -1], sums_of_squares[:, -1]
    return float(np.mean(accepted > 0)), float(np.mean(accepted < 0))


def test_simulated_tests_decide_as_the_test_does():
    rng = np.random.default_rng(5)
    for _ in range(10):
        drawn = rng.choice([-1.0, 0.0, 1.0], MOST_PAIRS, p=[0.2, 0.6, 0.2])
        test = run_test(drawn.tolist(), Hypotheses(0.0, -0.2))
        assert test.verdict is not None

        class Replay:
            def choice(self, _, shape, drawn=drawn, taken=[0]):  # noqa: B006 - the state of one replay
                taken[0] += 200
                return np.broadcast_to(drawn[taken[0] - 200 : taken[0]], shape)

        rates = decisions(drawn, Hypotheses(0.0, -0.2), Replay())
        assert rates == ((1, 0) if test.verdict == "alternative" else (0, 1))


def classic_differences(first, second):
    """Return the differences of two strategies on every secret of 4x6."""
    curve = load_value_curve(Rules(4, 6), 10)
    (raw, luck), (other_raw, other_luck) = scores(first, curve, 10), scores(second, curve, 10)
    assert max(raw.max(), other_raw.max()) <= 10, "unsolved games are not in the order of secrets"
    return (other_raw - other_luck) - (raw - luck)


CASES = {
    "minimax and entropy": (lambda: classic_differences("minimax", "entropy"), -0.02),
    "with inconsistent codes": (lambda: classic_differences("first candidate", "fixed questions"), -0.1),
    "good and bad": (lambda: classic_differences("first candidate", "entropy"), -0.05),
    "normal": (lambda: np.random.default_rng(2).normal(0, 0.3, 20_000), -0.02),
}
"""Differences whose mean is shifted to each hypothesis, and the alternative."""


@pytest.mark.parametrize("case", CASES)
def test_each_error_is_at_most_six_percent(case):
    make, alternative = CASES[case]
    differences, hypotheses, rng = make(), Hypotheses(0.0, alternative), np.random.default_rng(16)
    differences = differences - differences.mean()
    wrong, right = decisions(differences, hypotheses, rng)
    assert wrong <= 0.06
    assert wrong + right > 0.99
    right, wrong = decisions(differences + alternative, hypotheses, rng)
    assert wrong <= 0.06
    assert wrong + right > 0.99


def test_skewed_differences_need_the_margin_of_the_variance():
    """The control: with the variance as it is measured, the larger error exceeds six percent."""
    differences, hypotheses = classic_differences("first candidate", "entropy"), Hypotheses(0.0, -0.05)
    shifted = differences - differences.mean() + hypotheses.alternative
    _, wrong = decisions(shifted, hypotheses, np.random.default_rng(16), margin=0)
    assert wrong > 0.06


def test_rare_differences_need_the_least_variance():
    """A strategy that saves a guess in 2 % of games is missed in most runs without the floor, and seldom with it."""
    differences = np.array([-1.0] + [0.0] * 49)
    _, wrong = decisions(differences, USUAL, np.random.default_rng(1))
    assert wrong <= 0.06
    _, wrong = decisions(differences, USUAL, np.random.default_rng(1), least_variance=1e-4)
    assert wrong > 0.4
