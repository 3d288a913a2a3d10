from functools import cache

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, code_at, column_code, to_columns
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.optimal.guess_matrix import CodeSpace, GuessMatrix, one_guess_per_shape
from evilpegs_game.optimal.least_total import LeastTotal
from evilpegs_game.optimal.search_state import GUESS_BITS, NEVER, UNLIMITED, Tuning, new_totals
from evilpegs_game.optimal.solve import solve, solve_cost
from evilpegs_game.optimal.solver import TotalSolver
from evilpegs_game.rules import Rules
from support.examples import share
from support.plain_least_total import PlainLeastTotal, play_all

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
code_space = cache(CodeSpace)


@st.composite
def live_sets(draw, rules, most=9):
    indices = draw(st.sets(st.integers(0, rules.size - 1), min_size=1, max_size=most))
    return to_columns([code_at(index, rules) for index in sorted(indices)])


def plain_codes(columns):
    return tuple(column_code(columns, index) for index in range(columns.shape[1]))


@settings(max_examples=share(60))
@given(st.data())
def test_least_total_equals_definition(data):
    rules = data.draw(st.sampled_from(TINY))
    columns = data.draw(live_sets(rules))
    codes = plain_codes(columns)
    assert solver(rules).total(columns) == plain(rules).total(codes, len(codes))


@settings(max_examples=share(40))
@given(st.data())
def test_least_total_best_is_first_that_attains_it(data):
    rules = data.draw(st.sampled_from(TINY))
    columns = data.draw(live_sets(rules))
    assert solver(rules).best_guess(columns) == plain(rules).best_guess(plain_codes(columns))


@settings(max_examples=share(40))
@given(st.data())
def test_least_total_after_guess_equals_definition(data):
    rules = data.draw(st.sampled_from(TINY))
    columns = data.draw(live_sets(rules))
    guess = data.draw(st.sampled_from(plain(rules).guesses))
    codes = plain_codes(columns)
    expected = plain(rules).total_after(codes, guess, len(codes))
    if expected == float("inf"):  # the guess excludes nothing and costs each code one guess
        expected = len(codes) + plain(rules).total(codes, len(codes))
    assert solver(rules).total_after(columns, guess) == expected


@settings(max_examples=share(60))
@given(st.data())
def test_total_solver_within_limit_equals_definition(data):
    """The search finds the total within a limit or proves that there is none, with and without an upper bound."""
    rules = data.draw(st.sampled_from([rules for rules in TINY if rules.size > 2]))
    columns = data.draw(live_sets(rules).filter(lambda columns: columns.shape[1] > 2))
    limit = data.draw(st.integers(1, 4))
    expected = min(NEVER, plain(rules).total(plain_codes(columns), limit))
    upper = data.draw(st.sampled_from([NEVER, expected, expected + 1, expected - 1]))
    matrix = GuessMatrix(code_space(rules), columns)
    bounds = TotalSolver(matrix, new_totals(1 << 10)).solve(matrix.all_indices, limit, upper)
    assert bounds.lower <= expected <= bounds.upper
    assert bounds.lower == expected or bounds.lower >= upper
    assert bounds.upper == expected or bounds.lower >= upper


@compiled
@settings(max_examples=share(30))
@given(st.data())
def test_total_solver_of_larger_sets_equals_slower_search(data):
    """Sets of 3x4, where parts do not fit one feedback each, with a memo that forgets and with one that keeps."""
    rules = Rules(3, 4)
    columns = data.draw(live_sets(rules, most=24))
    matrix = GuessMatrix(code_space(rules), columns) if columns.shape[1] > 2 else None
    total = solver(rules).total(columns)
    if matrix:
        assert TotalSolver(matrix, new_totals(4)).solve(matrix.all_indices).upper == total
    after = [solver(rules).total_after(columns, code_at(index, rules)) for index in range(rules.size)]
    assert min(after) == total


@pytest.mark.parametrize("upper", [NEVER, 110, 1])
def test_guesses_are_listed_by_estimate_then_in_code_order(upper):
    columns = np.ascontiguousarray(all_codes(Rules(3, 4))[:, ::2])
    matrix = GuessMatrix(code_space(Rules(3, 4)), columns)
    entries = TotalSolver(matrix, new_totals(4)).list_guesses(matrix.all_indices, UNLIMITED, upper)
    assert entries == sorted(entries)
    estimates = [entry >> GUESS_BITS for entry in entries]
    assert all(estimate < upper for estimate in estimates)
    assert len(set(estimates)) > 1 or upper == 1


@pytest.mark.parametrize("width", [1, 2])
def test_total_solver_of_some_width_finds_upper_bound(width):
    columns = np.ascontiguousarray(all_codes(Rules(3, 3))[:, 1:20])
    matrix, totals = GuessMatrix(code_space(Rules(3, 3)), columns), new_totals(1 << 10)
    rough = TotalSolver(matrix, totals).solve(matrix.all_indices, width=width)
    exact = TotalSolver(matrix, totals).solve(matrix.all_indices)
    assert rough.lower <= exact.lower == exact.upper <= rough.upper


# Tiny rules by the definition. 4x6: K. Koyama and T. W. Lai, 1993. The trees in the public repository
# arfst23/Mastermind have the totals of 4x6 and of the rules without repeats.
TINY_TOTALS = {"2x3": 21, "2x4": 45, "3x2": 18, "3x3": 73}
KNOWN_TOTALS = {"4x6": 5625, "4x6-distinct": 1446, "4x7-distinct": 3639, "4x8-distinct": 7817}


@pytest.mark.parametrize(("rules", "total"), TINY_TOTALS.items())
def test_solve_tiny_rules_equals_definition(rules, total):
    rules = Rules.parse(rules)
    solution = solve(rules)
    assert (solution.total, solution.lower, solution.is_proved) == (total, total, True)
    assert plain(rules).total(tuple(plain(rules).guesses), 6) == total
    assert play_all(solution.tree) == (solution.total, solution.max)


@compiled
@pytest.mark.parametrize(("rules", "total"), KNOWN_TOTALS.items())
def test_solve_finds_known_least_totals(rules, total):
    solution = solve(Rules.parse(rules), threads=2)
    assert (solution.total, solution.lower) == (total, total)
    assert play_all(solution.tree) == (solution.total, solution.max)


# 3x3 and 3x5: worst cases by G. Ville, 2013. 4x6: Koyama and Lai, whose tree of least total needs six guesses at worst.
@compiled
@pytest.mark.parametrize(
    ("rules", "objective", "highest", "total"),
    [("3x3", "worst", 4, 73), ("3x5", "worst", 5, 451), ("4x6", "mean", 6, 5625), ("4x6", "worst", 5, 5626)],
)
def test_solve_finds_known_optima(rules, objective, highest, total):
    solution = solve(Rules.parse(rules), objective)
    assert (solution.max, solution.total, solution.lower) == (highest, total, total)
    assert play_all(solution.tree) == (solution.total, solution.max)


@pytest.mark.parametrize("rules", [rules for rules in TINY if rules.size < 20], ids=str)
def test_solve_worst_case_equals_definition(rules):
    solution = solve(rules, "worst")
    codes = tuple(plain(rules).guesses)
    assert plain(rules).total(codes, solution.max) == solution.total == solution.lower
    assert plain(rules).total(codes, solution.max - 1) == float("inf")
    assert play_all(solution.tree) == (solution.total, solution.max)


# The worst cases of 3x4 and 3x5 by G. Ville, 2013; the totals by a search with no bound but the count of codes.
@pytest.mark.parametrize("objective", ["mean", "worst"])
@pytest.mark.parametrize(
    ("rules", "highest", "total"),
    [("3x4", 4, 206), ("3x5", 5, 451), ("2x6", 5, 132), ("4x2", 4, 44), ("3x5-distinct", 4, 196)],
)
def test_solve_small_rules_compiled_and_plain(rules, highest, total, objective):
    solution = solve(Rules.parse(rules), objective)
    assert (solution.max, solution.total, solution.lower) == (highest, total, total)
    assert play_all(solution.tree) == (total, highest)


def test_solve_reports_too_few_guesses():
    """On 2x4 three guesses could find 1 + 4 + 16 codes, but do not."""
    reports = []
    solution = solve(Rules(2, 4), "worst", progress=reports.append)
    assert solution.max == 4
    assert reports[0].within == 3
    assert (3, None, None) in reports
    assert reports[-1] == (4, solution.total, solution.total)


def test_solve_reports_tightening_bounds():
    reports = []
    solution = solve(Rules(3, 4), progress=reports.append)
    lower, upper = [bounds.lower for bounds in reports], [bounds.upper or NEVER for bounds in reports]
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)
    assert reports[-1] == (None, solution.total, solution.total)
    assert lower[0] < upper[0]


@compiled
def test_least_total_of_all_codes_equals_solve():
    """`LeastTotal` finds what `solve` does, with one thread and within one budget."""
    rules = Rules(3, 5)
    every = all_codes(rules)
    least = LeastTotal(rules)
    assert least.total(every) == solve(rules).total == 451
    best = least.best_guess(every)
    assert least.total_after(every, best) == 451
    firsts = one_guess_per_shape(rules)
    assert best == next(guess for guess in firsts if least.total_after(every, guess) == 451)
    with pytest.raises(OverBudgetError):
        LeastTotal(rules).total(every, budget=20_000)


@pytest.mark.parametrize("columns", [all_codes(Rules(3, 3))[:, 2:25], 1 + all_codes(Rules(3, 2))], ids=["many", "few"])
def test_least_total_of_large_set_is_same(columns):
    """The answers are those for a set that is not large, even if some guesses exclude nothing."""
    columns = np.ascontiguousarray(columns)
    few = LeastTotal(Rules(3, 3))
    answers = few.total(columns), few.best_guess(columns)
    many = LeastTotal(Rules(3, 3), Tuning(first_guess_codes=7))
    assert (many.total(columns), many.best_guess(columns)) == answers


@pytest.mark.parametrize("ask", ["total", "best_guess"])
def test_least_total_keeps_budget(ask):
    columns = np.ascontiguousarray(all_codes(Rules(3, 3))[:, 1:20])
    for budget in (10, 600):
        with pytest.raises(OverBudgetError):
            getattr(LeastTotal(Rules(3, 3)), ask)(columns, budget=budget)


@pytest.mark.parametrize("bound", [1000, 20_000])
def test_least_total_refuses_too_large_matrix(bound):
    """It is refused before anything is made, or once the guesses that differ are known; with a budget, as over it."""
    columns = np.ascontiguousarray(all_codes(Rules(3, 3))[:, :20])
    least = LeastTotal(Rules(3, 3), Tuning(max_matrix_bytes=bound))
    with pytest.raises(TooLargeError, match=r"20.*3x3") as refused:
        least.total(columns)
    assert refused.value.bound == bound
    assert refused.value.needed > bound
    with pytest.raises(OverBudgetError, match=f"20.*3x3.*{bound:,}"):
        least.total(columns, 10**9)


def test_least_total_refuses_search_beyond_stack():
    columns = np.ascontiguousarray(all_codes(Rules(1, 9))[:, :8])
    assert LeastTotal(Rules(1, 9)).total(columns) == sum(range(1, 9))
    with pytest.raises(TooLargeError, match="1x9"):
        LeastTotal(Rules(1, 9), Tuning(stack_rows=0)).total(columns)


@pytest.mark.parametrize("rules", [Rules(8, 10), Rules(10, 2)], ids=str)
def test_least_total_refuses_too_large_rules(rules):
    with pytest.raises(TooLargeError, match=str(rules)):
        LeastTotal(rules)


@compiled
def test_solve_cost_counts_guesses_codes_and_bytes():
    cost = solve_cost(Rules(4, 6))
    assert (cost.first_guesses, cost.largest_part) == (5, 625)
    assert 2**20 < cost.memory < 2**30
    assert solve_cost(Rules(4, 6), threads=3).memory > cost.memory
    with pytest.raises(TooLargeError, match=r"16,807.*5x8"):
        solve_cost(Rules(5, 8))
    with pytest.raises(TooLargeError, match=r"16,807.*5x8"):
        solve(Rules(5, 8))


@pytest.mark.parametrize("rules", [Rules(3, 4), Rules(4, 2), Rules(3, 4, repeats=False), Rules(1, 3)], ids=str)
def test_first_guesses_are_one_per_shape(rules):
    """Renaming colors and permuting pegs carries every code to exactly one of them."""
    shapes = [sorted(map(guess.count, set(guess))) for guess in one_guess_per_shape(rules)]
    codes = plain(rules).guesses
    assert all(sorted(map(code.count, set(code))) in shapes for code in codes)
    assert len({tuple(shape) for shape in shapes}) == len(shapes)
    assert set(one_guess_per_shape(rules)) <= set(codes)
