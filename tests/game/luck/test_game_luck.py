"""The luck of turns and games: its definition, that it is unbiased, and what it saves."""

from fractions import Fraction
from math import fsum
from random import Random
from statistics import NormalDist

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, code_at, column_code
from evilpegs_game.errors import ContradictionError
from evilpegs_game.feedback import Feedback, Turn, all_black, feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck import game_luck as module
from evilpegs_game.luck.game_luck import (
    MILLION,
    ValueCurve,
    adjusted_score,
    game_luck,
    load_value_curve,
    raw_score,
    to_millionths,
    turn_luck,
)
from evilpegs_game.rules import Rules
from support.all_games import GOOD_STRATEGIES, STRATEGIES, scores
from support.examples import share

CLASSIC = Rules(4, 6)
LIMIT = 10

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")


@pytest.fixture(scope="module")
def curve():
    loaded = load_value_curve(CLASSIC, LIMIT)
    assert loaded is not None
    return loaded


def codes_of(rules):
    columns = all_codes(rules)
    return [column_code(columns, index) for index in range(rules.size)]


def plain_luck(codes, turns, value):
    """Return the luck of a game by its definition, from lists of codes."""
    luck, black = Fraction(0), all_black(len(codes[0]))
    for guess, answer in turns:
        parts = {}
        for code in codes:
            parts.setdefault(feedback(guess, code), []).append(code)
        values = {each: Fraction(0) if each == black else value(len(part)) for each, part in parts.items()}
        luck += values[answer] - sum(Fraction(len(part), len(codes)) * values[each] for each, part in parts.items())
        codes = parts[answer]
    return luck


def game_of(secret, choose, limit):
    turns = []
    while len(turns) < limit and (not turns or turns[-1].guess != secret):
        guess = choose(tuple(turns))
        turns.append(Turn(guess, feedback(guess, secret)))
    return turns


def random_chooser(rules, seed):
    """Return a strategy that guesses any code at random, the same one after the same history."""
    return lambda history: code_at(Random(f"{seed} {history}").randrange(rules.size), rules)


@st.composite
def curves(draw, rules):
    """Draw any nondecreasing values of all sizes."""
    steps = draw(st.lists(st.integers(0, MILLION), min_size=rules.size - 1, max_size=rules.size - 1))
    values = np.minimum(np.cumsum([MILLION, *steps]), 4 * MILLION).tolist()
    return ValueCurve(rules, 3, list(enumerate(values, 1)))


@pytest.mark.parametrize("text", ["2x3", "3x3"])
@given(data=st.data(), seed=st.integers(0, 10**6), limit=st.integers(1, 3))
@settings(max_examples=share(20))
def test_luck_is_unbiased_for_random_strategies(text, data, seed, limit):
    rules, live_sets = Rules.parse(text), LiveSets()
    curve, codes, choose = data.draw(curves(rules)), codes_of(Rules.parse(text)), random_chooser(rules, seed)
    exact = []
    for secret in codes:
        turns = game_of(secret, choose, limit)
        exact.append(plain_luck(codes, turns, lambda size: Fraction(curve.knots[size - 1][1], MILLION)))
        assert game_luck(rules, turns, curve, live_sets) == pytest.approx(float(exact[-1]), abs=1e-12)
    assert sum(exact) == 0


@pytest.mark.parametrize("limit", [pytest.param(LIMIT, marks=compiled), pytest.param(4, marks=compiled), 2])
@pytest.mark.parametrize("name", STRATEGIES)
def test_adjusted_mean_equals_raw_mean(curve, name, limit):
    raw, luck = scores(name, curve, limit)
    assert len(raw) == CLASSIC.size
    assert (raw.max() == limit + 1) >= (limit < LIMIT)
    assert fsum(luck) / CLASSIC.size == pytest.approx(0, abs=1e-9)
    assert luck.std() > 0


@compiled
@pytest.mark.parametrize("name", GOOD_STRATEGIES)
def test_adjusted_scores_vary_less(curve, name):
    raw, luck = scores(name, curve, LIMIT)
    assert 8 <= raw.var() / (raw - luck).var() <= 35


@compiled
def test_all_black_with_value_one_is_unbiased_and_useless(curve, monkeypatch):
    """The control of the test above: a wrong value of the all-black part shows in the variance alone."""

    def wrong_luck(position, turn, curve):
        sizes = position.parts(turn.guess)
        expected = fsum(size * curve.value(size) for size in sizes.values()) / sum(sizes.values())
        return curve.value(sizes[turn.feedback]) - expected

    monkeypatch.setattr(module, "turn_luck", wrong_luck)
    raw, luck = scores.__wrapped__("entropy", curve, LIMIT)
    assert luck.mean() == pytest.approx(0, abs=1e-9)
    assert raw.var() / (raw - luck).var() < 3


def power(first, second, games, trials=1000):
    """Return how often Welch's test at 5 % separates the means of games drawn from two sets of scores."""
    rng = np.random.default_rng(16)
    one, two = (rng.choice(each, (trials, games)) for each in (first, second))
    errors = np.sqrt((one.var(axis=1, ddof=1) + two.var(axis=1, ddof=1)) / games)
    quantile = NormalDist().inv_cdf(0.975) * (1 + 1.2 / games)  # Student's t with about 2 (games - 1) degrees
    return float(np.mean(np.abs(one.mean(axis=1) - two.mean(axis=1)) > quantile * errors))


def games_for_power(first, second):
    """Return the games of each strategy for a power of 80 % at 5 %, by the normal approximation."""
    quantiles = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
    return float(quantiles**2 * (first.var() + second.var()) / (first.mean() - second.mean()) ** 2)


@compiled
def test_adjusted_scores_tell_strategies_apart_in_fewer_games(curve):
    (raw, luck), (other_raw, other_luck) = scores("minimax", curve, LIMIT), scores("entropy", curve, LIMIT)
    assert (raw.mean().round(4), other_raw.mean().round(4)) == (4.4761, 4.4151)
    assert power(raw - luck, other_raw - other_luck, 100) >= 0.8
    assert power(raw, other_raw, 100) < 0.2
    assert power(raw, other_raw, 1500) < 0.8
    assert games_for_power(raw, other_raw) > 1600 > 16 * games_for_power(raw - luck, other_raw - other_luck)


def test_turn_luck_by_hand():
    """On 2x2 the guess 11 leaves parts 0,0 {22}, 1,0 {12, 21} and all-black."""
    flat = ValueCurve(Rules(2, 2), 5, [(1, MILLION), (2, 1_500_000), (4, 2_000_000)])
    start, expected = Position(Rules(2, 2)), (1 * 1.0 + 2 * 1.5) / 4
    for answer, value in ((Feedback(0, 0), 1.0), (Feedback(1, 0), 1.5), (Feedback(2, 0), 0.0)):
        assert turn_luck(start, Turn((0, 0), answer), flat) == value - expected


def test_impossible_feedback_names_turn(curve):
    turns = [Turn((0, 0, 1, 1), Feedback(0, 0)), Turn((0, 0, 1, 1), Feedback(1, 0))]
    with pytest.raises(ContradictionError) as caught:
        game_luck(CLASSIC, turns, curve, LiveSets())
    assert caught.value.turn == 2


def test_counted_rules_have_the_luck_of_enumerated_rules(curve):
    turns = [Turn((0, 0, 1, 1), Feedback(1, 0)), Turn((0, 2, 3, 3), Feedback(1, 1)), Turn((5, 5, 5, 5), Feedback(0, 0))]
    counted = LiveSets(enumerated_codes=0)
    assert game_luck(CLASSIC, turns, curve, counted) == game_luck(CLASSIC, turns, curve, LiveSets())


def test_scores_of_solved_unsolved_and_unplayed_games(curve):
    solved = [Turn((0, 0, 1, 1), Feedback(0, 0)), Turn((2, 2, 3, 3), Feedback(4, 0))]
    assert raw_score(CLASSIC, solved, LIMIT) == 2
    assert raw_score(CLASSIC, solved[:1], LIMIT) == raw_score(CLASSIC, [], LIMIT) == LIMIT + 1
    live_sets = LiveSets()
    assert adjusted_score(CLASSIC, solved, curve, live_sets) == 2 - game_luck(CLASSIC, solved, curve, live_sets)
    assert game_luck(CLASSIC, [], curve, live_sets) == 0


@pytest.mark.parametrize(
    ("luck", "millionths"), [(0.0, 0), (1.25, 1_250_000), (-0.0000004, 0), (-2.0000006, -2_000_001)]
)
def test_to_millionths_rounds_to_nearest(luck, millionths):
    assert to_millionths(luck) == millionths
