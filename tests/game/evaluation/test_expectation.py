from fractions import Fraction
from functools import cache
from random import Random

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.codemakers.small_sets import group_by_feedback
from evilpegs_game.codes import all_codes, code_at, column_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.evaluation.expectation import (
    SMALL_SET,
    UNIT,
    Expectation,
    expected_guesses,
    small_parts_total,
)
from evilpegs_game.feedback import all_black, feedback
from evilpegs_game.partition import feedback_numbers
from evilpegs_game.rules import Rules
from support.messages import values_in
from support.simulate import simulate

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")


@cache
def plain_total(codes):
    """Return the total by its definition: every candidate is guessed equally often."""
    return len(codes) + sum(after(codes, guess) for guess in codes) / Fraction(len(codes))


def after(codes, guess):
    parts = {}
    for code in codes:
        parts.setdefault(feedback(guess, code), []).append(code)
    return sum(
        (plain_total(tuple(part)) for given, part in parts.items() if given != all_black(len(guess))), Fraction(0)
    )


def plain_mean(rules):
    return plain_total(tuple(code_at(index, rules) for index in range(rules.size))) / rules.size


@pytest.mark.parametrize(
    "text", ["1x1", "1x2", "1x7", "2x2", "2x3", "3x2", "4x2", "2x4", "2x5", "3x3", "3x3-distinct", "2x6-distinct"]
)
def test_expectation_of_tiny_rules_by_definition(text):
    rules = Rules.parse(text)
    assert expected_guesses(rules) == plain_mean(rules)


@compiled
@pytest.mark.parametrize("text", ["3x4", "5x2", "3x4-distinct", "4x4-distinct"])
def test_expectation_of_small_rules_by_definition(text):
    rules = Rules.parse(text)
    assert expected_guesses(rules) == plain_mean(rules)


def test_expectation_of_nine_uninformative_codes():
    assert expected_guesses(Rules(1, 9)) == 5


@compiled
def test_expectation_of_24_uninformative_codes():
    """They are more than a mask numbers."""
    assert SMALL_SET < 24
    assert expected_guesses(Rules(1, 24)) == Fraction(25, 2)


@given(st.data())
def test_small_parts_total_by_definition(data):
    rules = data.draw(st.sampled_from([Rules(3, 4), Rules(2, 7), Rules(4, 5, repeats=False)]))
    every = all_codes(rules)
    most = SMALL_SET if not numba.config.DISABLE_JIT else 8
    places = sorted(data.draw(st.sets(st.integers(0, rules.size - 1), min_size=1, max_size=most)))
    table = np.stack([feedback_numbers(every, column_code(every, index)) for index in range(rules.size)])
    known = np.zeros((2, 1 << SMALL_SET), np.int64)
    total, _ = small_parts_total(table, np.array(places, np.int32), np.array([0, len(places), 0]), known)
    assert Fraction(total, UNIT) == plain_total(tuple(code_at(place, rules) for place in places))


def test_small_parts_total_skips_large_parts():
    rules = Rules(2, 5)
    every = all_codes(rules)
    table = np.stack([feedback_numbers(every, column_code(every, index)) for index in range(rules.size)])
    sizes, places = group_by_feedback(table[0], np.arange(25, dtype=np.int32), 6)
    known = np.zeros((2, 1 << SMALL_SET), np.int64)

    def total(places, *sizes):
        return small_parts_total(table, places, np.array(sizes), known)[0]

    assert sizes.tolist() == [16, 0, 0, 8, 0, 1]
    assert total(places, *sizes) == total(places[:16], 16, 0) + total(places[16:24], 8, 0)
    assert total(places, 17, 7, 1) == total(places[17:24], 7, 0)
    assert total(places, 24, 1) == 0


def simulated(rules, games):
    """Return the interval of the mean in games that guess a random candidate."""

    def choose(position, rng):
        return position.sample(rng)[0]

    def game_rngs(game):
        rng = Random(game)
        return lambda turn: rng

    return simulate(choose, rules, range(games), game_rngs).interval


@compiled
def test_expectation_agrees_with_simulation():
    low, high = simulated(Rules(4, 4), 2_000)
    assert low < expected_guesses(Rules(4, 4)) < high
    assert high - low < 0.1


@pytest.mark.full
@compiled
def test_expectation_of_classic_is_the_published_one():
    """Published by simulation: 4.638 (P. F. Swaszek, The mastermind novice, 1999-2000)."""
    exact = expected_guesses(Rules(4, 6))
    assert float(exact) == pytest.approx(4.6435233, abs=1e-7)
    low, high = simulated(Rules(4, 6), 4_000)
    assert low < exact < high
    assert abs(exact - Fraction("4.638")) < Fraction("0.01")


def test_expectation_totals_equivalent_sets_once():
    expectation = Expectation(Rules(3, 3))
    assert expectation.total() == 27 * plain_mean(Rules(3, 3))
    assert expectation.entries == 1
    assert expectation.work > 27


def test_expectation_work_is_bounded():
    work = Expectation(Rules(3, 3))
    total = work.total()
    assert Expectation(Rules(3, 3), work.work).total() == total
    with pytest.raises(OverBudgetError) as caught:
        expected_guesses(Rules(3, 3), budget=100)
    assert {"3x3", "100"} <= values_in(caught.value)


def test_expectation_refuses_too_many_codes():
    with pytest.raises(TooLargeError) as caught:
        expected_guesses(Rules(5, 8))
    assert (caught.value.needed, caught.value.bound) == (32_768, 5040)
    assert {"5x8", "32,768", "5,040"} <= values_in(caught.value)
