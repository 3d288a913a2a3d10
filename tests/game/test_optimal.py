from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, code_at, column_code, to_columns
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.optimal import LeastTotal, least_possible_total, solve
from evilpegs_game.rules import Rules
from support.plain_least_total import PlainLeastTotal

TINY = [
    Rules(1, 1),
    Rules(1, 5),
    Rules(2, 1),
    Rules(2, 3),
    Rules(2, 4),
    Rules(3, 2),
    Rules(3, 3),
    Rules(2, 4, repeats=False),
    Rules(3, 3, repeats=False),
]
plain = cache(PlainLeastTotal)
solver = cache(LeastTotal)


@st.composite
def live_sets(draw, rules, most=9):
    places = draw(st.sets(st.integers(0, rules.size - 1), min_size=1, max_size=most))
    return to_columns([code_at(place, rules) for place in sorted(places)])


def plain_codes(columns):
    return tuple(column_code(columns, place) for place in range(columns.shape[1]))


@settings(max_examples=60)
@given(st.data())
def test_totals_are_those_of_the_definition(data):
    rules = data.draw(st.sampled_from(TINY))
    columns = data.draw(live_sets(rules))
    codes = plain_codes(columns)
    assert solver(rules).total(columns) == plain(rules).total(codes, len(codes))


@settings(max_examples=40)
@given(st.data())
def test_the_best_guess_is_the_first_that_attains_the_total(data):
    rules = data.draw(st.sampled_from(TINY))
    columns = data.draw(live_sets(rules))
    assert solver(rules).best(columns) == plain(rules).best(plain_codes(columns))


@settings(max_examples=40)
@given(st.data())
def test_totals_after_a_guess_are_those_of_the_definition(data):
    rules = data.draw(st.sampled_from(TINY))
    columns = data.draw(live_sets(rules))
    guess = data.draw(st.sampled_from(plain(rules).guesses))
    codes = plain_codes(columns)
    expected = plain(rules).after(codes, guess, len(codes))
    if expected == float("inf"):  # it excludes nothing: a guess of each code lost
        expected = len(codes) + plain(rules).total(codes, len(codes))
    assert solver(rules).after(columns, guess) == expected


def test_what_is_over_the_budget_is_refused():
    with pytest.raises(OverBudgetError, match="than the budget allows"):
        LeastTotal(Rules(3, 3)).total(all_codes(Rules(3, 3)), budget=10)


def test_rules_that_do_not_fit_are_refused():
    with pytest.raises(TooLargeError, match="8x10"):
        LeastTotal(Rules(8, 10))


@pytest.mark.parametrize(("codes", "least"), [(0, 0), (1, 1), (2, 3), (14, 27), (15, 30), (183, 534), (184, 538)])
def test_the_count_bound_of_four_pegs(codes, least):
    """One code at the first guess, 13 at the second, 169 at the third, then the fourth."""
    assert least_possible_total(codes, Rules(4, 6)) == least


def test_the_solution_of_3x3():
    solution = solve(Rules(3, 3))
    assert (solution.total, solution.max, solution.lower) == (73, 4, 73)
