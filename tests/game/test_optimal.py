from functools import cache

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, code_at, column_code, to_columns
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.least import board as least_board
from evilpegs_game.least import frame as least_frame
from evilpegs_game.least import total as least_total
from evilpegs_game.least.board import NEVER
from evilpegs_game.least.frame import Frame, Ground, first_guesses_of
from evilpegs_game.least.searcher import Searcher
from evilpegs_game.least.solved_totals import new_totals
from evilpegs_game.optimal import LeastTotal, least_possible_total, solve, solve_cost
from evilpegs_game.rules import Rules
from support.plain_least_total import PlainLeastTotal, played

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
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
ground = cache(Ground)


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


@settings(max_examples=60)
@given(st.data())
def test_within_few_guesses_by_the_definition(data):
    """The total within so many guesses, and that there is none, with an upper bound to look under or without."""
    rules = data.draw(st.sampled_from([rules for rules in TINY if rules.size > 2]))
    columns = data.draw(live_sets(rules).filter(lambda columns: columns.shape[1] > 2))
    limit = data.draw(st.integers(1, 4))
    expected = min(NEVER, plain(rules).total(plain_codes(columns), limit))
    upper = data.draw(st.sampled_from([NEVER, expected, expected + 1, expected - 1]))
    frame = Frame(ground(rules), columns)
    found = Searcher(frame, new_totals(1 << 10)).least(frame.all_places, limit, upper)
    assert found.lower <= expected <= found.upper
    assert found.lower == expected or found.lower >= upper
    assert found.upper == expected or found.lower >= upper


@compiled
@settings(max_examples=30)
@given(st.data())
def test_larger_sets_by_a_slower_search(data):
    """Sets of 3x4, where parts do not fit one feedback each, with a memo that forgets and one that does not."""
    rules = Rules(3, 4)
    columns = data.draw(live_sets(rules, most=24))
    frame = Frame(ground(rules), columns) if columns.shape[1] > 2 else None
    total = solver(rules).total(columns)
    if frame:
        assert Searcher(frame, new_totals(4)).least(frame.all_places).upper == total
    after = [solver(rules).after(columns, code_at(place, rules)) for place in range(rules.size)]
    assert min(after) == total


@pytest.mark.parametrize("width", [1, 2])
def test_a_narrow_search_finds_no_less_than_there_is(width):
    columns = np.ascontiguousarray(all_codes(Rules(3, 3))[:, 1:20])
    frame, totals = Frame(ground(Rules(3, 3)), columns), new_totals(1 << 10)
    rough = Searcher(frame, totals).least(frame.all_places, width=width)
    exact = Searcher(frame, totals).least(frame.all_places)
    assert rough.lower <= exact.lower == exact.upper <= rough.upper


# The tiny ones by the definition. 4x6: K. Koyama and T. W. Lai, 1993. That and those without repeats are also what the
# trees need that the public repository arfst23/Mastermind holds.
TINY_TOTALS = {"2x3": 21, "2x4": 45, "3x2": 18, "3x3": 73}
KNOWN_TOTALS = {"4x6": 5625, "4x6-distinct": 1446, "4x7-distinct": 3639, "4x8-distinct": 7817}


@pytest.mark.parametrize(("rules", "total"), TINY_TOTALS.items())
def test_least_totals_of_tiny_rules(rules, total):
    rules = Rules.parse(rules)
    solution = solve(rules)
    assert (solution.total, solution.lower, solution.is_proved) == (total, total, True)
    assert plain(rules).total(tuple(plain(rules).guesses), 6) == total
    assert played(solution.tree) == (solution.total, solution.max)


@compiled
@pytest.mark.parametrize(("rules", "total"), KNOWN_TOTALS.items())
def test_known_least_totals(rules, total):
    solution = solve(Rules.parse(rules), threads=2)
    assert (solution.total, solution.lower) == (total, total)
    assert played(solution.tree) == (solution.total, solution.max)


# 3x3 and 3x5: worst cases by G. Ville, 2013. 4x6: Koyama and Lai, whose tree of least total needs six guesses at worst.
@compiled
@pytest.mark.parametrize(
    ("rules", "objective", "highest", "total"),
    [("3x3", "worst", 4, 73), ("3x5", "worst", 5, 451), ("4x6", "mean", 6, 5625), ("4x6", "worst", 5, 5626)],
)
def test_known_optima(rules, objective, highest, total):
    solution = solve(Rules.parse(rules), objective)
    assert (solution.max, solution.total, solution.lower) == (highest, total, total)
    assert played(solution.tree) == (solution.total, solution.max)


@pytest.mark.parametrize("rules", [rules for rules in TINY if rules.size < 20], ids=str)
def test_the_least_worst_case_by_the_definition(rules):
    solution = solve(rules, "worst")
    codes = tuple(plain(rules).guesses)
    assert plain(rules).total(codes, solution.max) == solution.total == solution.lower
    assert plain(rules).total(codes, solution.max - 1) == float("inf")
    assert played(solution.tree) == (solution.total, solution.max)


# The worst cases of 3x4 and 3x5 by G. Ville, 2013; the totals by a search with no bound but the count of codes.
@pytest.mark.parametrize("objective", ["mean", "worst"])
@pytest.mark.parametrize(
    ("rules", "highest", "total"),
    [("3x4", 4, 206), ("3x5", 5, 451), ("2x6", 5, 132), ("4x2", 4, 44), ("3x5-distinct", 4, 196)],
)
def test_small_rules_compiled_and_not(rules, highest, total, objective):
    solution = solve(Rules.parse(rules), objective)
    assert (solution.max, solution.total, solution.lower) == (highest, total, total)
    assert played(solution.tree) == (total, highest)


def test_too_few_guesses_are_told_of():
    """On 2x4 three guesses could find 1 + 4 + 16 codes, but do not."""
    told = []
    solution = solve(Rules(2, 4), "worst", progress=told.append)
    assert solution.max == 4
    assert told[0].within == 3
    assert (3, None, None) in told
    assert told[-1] == (4, solution.total, solution.total)


def test_bounds_tighten():
    told = []
    solution = solve(Rules(3, 4), progress=told.append)
    lower, upper = [bounds.lower for bounds in told], [bounds.upper or NEVER for bounds in told]
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)
    assert told[-1] == (None, solution.total, solution.total)
    assert lower[0] < upper[0]


@compiled
def test_all_codes_of_larger_rules():
    """As `solve` does it, by one thread and from one budget."""
    rules = Rules(3, 5)
    every = all_codes(rules)
    least = LeastTotal(rules)
    assert least.total(every) == solve(rules).total == 451
    best = least.best(every)
    assert least.after(every, best) == 451
    firsts = first_guesses_of(rules)
    assert best == next(guess for guess in firsts if least.after(every, guess) == 451)
    with pytest.raises(OverBudgetError):
        LeastTotal(rules).total(every, budget=20_000)


@pytest.mark.parametrize("columns", [all_codes(Rules(3, 3))[:, 2:25], 1 + all_codes(Rules(3, 2))], ids=["many", "few"])
def test_a_large_live_set_is_solved_by_its_first_guesses(monkeypatch, columns):
    """As one that is not large, with the same answers; also where some guesses tell nothing."""
    columns = np.ascontiguousarray(columns)
    few = LeastTotal(Rules(3, 3))
    answers = few.total(columns), few.best(columns)
    monkeypatch.setattr(least_total, "_MANY", 7)
    many = LeastTotal(Rules(3, 3))
    assert (many.total(columns), many.best(columns)) == answers


@pytest.mark.parametrize("ask", ["total", "best"])
def test_what_is_over_the_budget_is_refused(ask):
    columns = np.ascontiguousarray(all_codes(Rules(3, 3))[:, 1:20])
    for budget in (10, 600):
        with pytest.raises(OverBudgetError, match="than the budget allows"):
            getattr(LeastTotal(Rules(3, 3)), ask)(columns, budget=budget)


def test_a_frame_that_does_not_fit_is_refused(monkeypatch):
    """Before anything is made, or once it is known which guesses differ; with a budget, that is too small."""
    columns = np.ascontiguousarray(all_codes(Rules(3, 3))[:, :20])
    for bound, told in ((1000, "1,000"), (20_000, "20,000")):
        monkeypatch.setattr(least_frame, "MAX_FRAME_BYTES", bound)
        with pytest.raises(TooLargeError, match=rf"20 codes of 3x3 .* take [0-9,]+ bytes, the bound is {told}"):
            LeastTotal(Rules(3, 3)).total(columns)
        with pytest.raises(OverBudgetError, match="20 codes of 3x3"):
            LeastTotal(Rules(3, 3)).total(columns, 10**9)


def test_a_search_deeper_than_its_stack_is_refused(monkeypatch):
    monkeypatch.setattr(least_board, "_MOST_ROWS", 0)
    with pytest.raises(TooLargeError, match="more guesses one after another"):
        LeastTotal(Rules(1, 9)).total(np.ascontiguousarray(all_codes(Rules(1, 9))[:, :8]))


@pytest.mark.parametrize(("rules", "match"), [(Rules(8, 10), "8x10"), (Rules(10, 2), "10x2")])
def test_rules_that_do_not_fit_are_refused(rules, match):
    with pytest.raises(TooLargeError, match=match):
        LeastTotal(rules)


@compiled
def test_what_solving_costs():
    cost = solve_cost(Rules(4, 6))
    assert (cost.first_guesses, cost.largest_part) == (5, 625)
    assert 2**20 < cost.memory < 2**30
    assert solve_cost(Rules(4, 6), threads=3).memory > cost.memory
    with pytest.raises(TooLargeError, match="16,807 codes of 5x8"):
        solve_cost(Rules(5, 8))
    with pytest.raises(TooLargeError, match="16,807 codes of 5x8"):
        solve(Rules(5, 8))


@pytest.mark.parametrize("rules", [Rules(3, 4), Rules(4, 2), Rules(3, 4, repeats=False), Rules(1, 3)], ids=str)
def test_first_guesses_are_one_of_each_shape(rules):
    """Renaming colors and changing pegs carries every code to one of them, and none to two."""
    shapes = [sorted(map(guess.count, set(guess))) for guess in first_guesses_of(rules)]
    codes = plain(rules).guesses
    assert all(sorted(map(code.count, set(code))) in shapes for code in codes)
    assert len({tuple(shape) for shape in shapes}) == len(shapes)
    assert set(first_guesses_of(rules)) <= set(codes)


@pytest.mark.parametrize(("codes", "least"), [(0, 0), (1, 1), (14, 27), (15, 30)])
def test_the_count_bound_is_here_too(codes, least):
    assert least_possible_total(codes, Rules(4, 6)) == least
