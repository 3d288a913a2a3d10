"""Calibration: further guesses by number of candidates, and the knots fitted to them."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, column_code
from evilpegs_game.errors import StuckError
from evilpegs_game.feedback import feedback
from evilpegs_game.luck.calibration import fit_knots, remaining_of_games, remaining_of_secrets
from evilpegs_game.luck.game_luck import MILLION, ValueCurve
from evilpegs_game.rules import Rules
from support.all_games import all_games, first_candidate

RULES = Rules(3, 3)


def plain_remaining(rules):
    """Count visits game by game, from the turns of every secret."""
    visits, totals = Counter(), Counter()
    codes = [column_code(all_codes(rules), index) for index in range(rules.size)]
    for turns, _ in all_games(first_candidate, rules, 100):
        live = codes
        for index, (guess, answer) in enumerate(turns):
            visits[len(live)] += 1
            totals[len(live)] += len(turns) - index
            live = [code for code in live if feedback(guess, code) == answer]
    return {size: (visits[size], totals[size]) for size in visits}


def test_remaining_of_secrets_equals_plain_count():
    progress = []
    remaining = remaining_of_secrets(first_candidate, RULES, progress.append)
    assert remaining == plain_remaining(RULES)
    assert remaining[27] == (27, 89)
    assert progress == list(range(1, 28))


def test_remaining_of_games_of_every_secret_equals_exact():
    codes = [column_code(all_codes(RULES), index) for index in range(RULES.size)]
    played = remaining_of_games(((first_candidate, code) for code in codes), RULES)
    assert played == remaining_of_secrets(first_candidate, RULES)


def test_remaining_of_stuck_strategy_is_an_error():
    with pytest.raises(StuckError):
        remaining_of_secrets(lambda position: (0, 0, 0), RULES)


def test_fit_knots_ends_at_the_mean_of_the_strategy():
    knots = fit_knots(remaining_of_secrets(first_candidate, RULES), RULES)
    assert knots[0] == (1, MILLION)
    assert knots[-1] == (27, round(89 / 27 * MILLION))
    assert fit_knots({1: (1, 1)}, Rules(1, 1)) == ((1, MILLION),)


def test_fit_knots_pools_decreasing_means():
    remaining = {1: (5, 5), 2: (100, 200), 3: (300, 500), 27: (27, 81)}
    assert fit_knots(remaining, RULES) == ((1, MILLION), (2, 1_750_000), (3, 1_750_000), (27, 3 * MILLION))


def test_fit_knots_joins_pools_with_few_visits():
    """Sizes 2, 3 and 4 have 100 visits together, at the geometric mean size 3."""
    remaining = {1: (5, 5), 2: (40, 60), 3: (20, 40), 4: (40, 80), 9: (100, 250), 27: (27, 81)}
    assert fit_knots(remaining, RULES) == ((1, MILLION), (3, 1_800_000), (9, 2_500_000), (27, 3 * MILLION))


@given(st.dictionaries(st.integers(1, 1296), st.tuples(st.integers(1, 999), st.floats(1, 9)), max_size=60))
def test_fit_knots_always_make_a_curve(rows):
    remaining = {size: (visits, round(visits * mean)) for size, (visits, mean) in ({1296: (1, 5.0)} | rows).items()}
    curve = ValueCurve(Rules(4, 6), 10, fit_knots(remaining, Rules(4, 6)))
    assert curve.value(1296) == curve.knots[-1][1] / MILLION
