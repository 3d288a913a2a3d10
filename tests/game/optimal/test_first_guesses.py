"""Proofs that are interrupted and resumed, and threads that share them. test_solve.py tests what is proved."""

import threading
from dataclasses import replace
from unittest.mock import Mock

import numba
import numpy as np
import pytest

from evilpegs_game.codemakers.small_sets import WorkBudget
from evilpegs_game.codes import all_codes
from evilpegs_game.errors import OverBudgetError
from evilpegs_game.feedback import Feedback
from evilpegs_game.optimal.first_guesses import FirstGuesses
from evilpegs_game.optimal.guess_matrix import CodeSpace, GuessMatrix, entry_guess
from evilpegs_game.optimal.least_total import LeastTotal
from evilpegs_game.optimal.proof_log import ProofLog
from evilpegs_game.optimal.search import exchange_bound, keep_first_of_each_orbit
from evilpegs_game.optimal.search_state import (
    GUESS_BITS,
    NEVER,
    NODE,
    NONE,
    SHARED,
    UNLIMITED,
    Tuning,
    new_record,
    new_stack,
    new_totals,
    stack_bytes,
)
from evilpegs_game.optimal.solve import solve
from evilpegs_game.optimal.solver import StoppedError, TotalSolver, try_in_threads
from evilpegs_game.rules import Rules
from support.plain_least_total import play_all

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
RULES = Rules(3, 3)
LARGER = Rules(2, 6)
EARLY = Tuning(shared_codes=6)
"""Threads share the guesses of sets that are small enough for a test."""


class EndedError(Exception):
    """Stands for an interrupt by the user."""


def ended_after(times):
    """Return a `progress` that interrupts a proof when it is called more often than that."""
    left = iter(range(times))

    def progress(_):
        if next(left, None) is None:
            raise EndedError

    return progress


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("objective", ["mean", "worst"])
def test_solve_with_threads_proves_same_total(threads, objective):
    solution = solve(RULES, objective, threads, tuning=EARLY)
    assert (solution.total, solution.max, solution.lower) == (73, 4, 73)
    assert play_all(solution.tree) == (73, 4)


@pytest.mark.parametrize("width", [1, 3])
def test_solve_with_threads_improves_rough_answers(width):
    """With poor first answers the threads find better ones and share them."""
    solution = solve(LARGER, threads=3, tuning=replace(EARLY, rough_width=width))
    assert (solution.total, solution.lower) == (132, 132)
    assert play_all(solution.tree)[0] == 132


@pytest.mark.parametrize("threads", [1, 3])
def test_error_in_thread_is_raised_as_it_is(threads):
    """The attempts that follow a failed one, before anybody looks at it, may not hide its error."""
    failing = Mock(**{"try_guess.side_effect": OverBudgetError("over")})
    for _ in range(5):
        with (
            try_in_threads([failing] * threads, list(range(500)), 9, new_record(SHARED)) as results,
            pytest.raises(OverBudgetError),
        ):
            list(results)


@pytest.mark.parametrize("times", [0, 1, 3, 10, 20, 30])
@pytest.mark.parametrize("threads", [1, 2])
def test_solve_resumes_interrupted_proof(times, threads):
    proof_log = ProofLog(LARGER)
    with pytest.raises(EndedError):
        solve(LARGER, threads=threads, proof_log=proof_log, progress=ended_after(times), tuning=EARLY)
    kept = ProofLog.from_bytes(proof_log.to_bytes())
    again = solve(LARGER, proof_log=kept, tuning=EARLY)
    assert (again.total, again.lower) == (132, 132)
    assert play_all(again.tree)[0] == 132


def test_solve_ends_its_threads_when_interrupted():
    before = threading.active_count()
    for times in range(0, 40, 5):
        with pytest.raises(EndedError):
            solve(LARGER, threads=3, progress=ended_after(times), tuning=EARLY)
        assert threading.active_count() == before


def test_first_guesses_with_whole_proof_log_do_no_work():
    proof_log = ProofLog(RULES)
    assert solve(RULES, proof_log=proof_log, tuning=EARLY).total == 73
    assert not proof_log.tried
    assert {subproblem.limit for subproblem in proof_log.known} == {UNLIMITED}
    best = [bounds for subproblem, bounds in proof_log.known.items() if subproblem.first == (0, 0, 1)]
    assert all(bounds.lower == bounds.upper < NEVER for bounds in best)
    code_space = CodeSpace(RULES, EARLY)
    known, budget = ProofLog.from_bytes(proof_log.to_bytes()), WorkBudget(None, "nothing")
    first_guesses = FirstGuesses(code_space, code_space.columns, new_totals(64), proof_log=known, budget=budget)
    assert first_guesses.prove().guess == (0, 0, 1)
    assert first_guesses.progress == (None, 73, 73)
    assert budget.work == 0


def test_solve_skips_guesses_tried_before():
    """Progress is reported for each guess that is tried, and for little else."""
    whole, rest = [], []
    solve(LARGER, progress=whole.append, tuning=EARLY)
    proof_log = ProofLog(LARGER)
    with pytest.raises(EndedError):
        solve(LARGER, proof_log=proof_log, progress=ended_after(30), tuning=EARLY)
    assert sum(map(len, proof_log.tried.values())) > 15
    assert solve(LARGER, proof_log=proof_log, progress=rest.append, tuning=EARLY).total == 132
    assert len(rest) < len(whole) - 20


@pytest.mark.parametrize("rules", ["3x3", "2x6", "2x8", "3x4-distinct", pytest.param("3x6", marks=compiled)])
def test_solve_without_patience_proves_same_total(rules):
    """The guess is begun again with fewer guesses after it, and keeps what it had found when it was stopped."""
    expected = solve(Rules.parse(rules), tuning=EARLY).total
    solution = solve(Rules.parse(rules), tuning=replace(EARLY, patience=0, orbit_codes=3))
    assert (solution.total, solution.lower) == (expected, expected)
    assert play_all(solution.tree)[0] == expected


def test_solve_in_little_memory_proves_same_total():
    little = replace(EARLY, kept_bytes=0, tried_partitions=1, table_entries=8)
    assert solve(LARGER, tuning=little).total == 132
    assert solve(Rules(3, 4), tuning=little).total == 206


def test_guess_matrix_orbits_hold_equally_good_guesses():
    tuning = Tuning(orbit_codes=3)
    matrix, least = GuessMatrix(CodeSpace(RULES, tuning), all_codes(RULES)), LeastTotal(RULES, tuning)
    orbits = matrix.orbits_after(1)
    row = matrix.tables.by_guess[1]
    large = [number for number in range(matrix.tables.all_black) if np.count_nonzero(row == number) >= 3]
    assert [number for number in range(orbits.shape[0]) if orbits[number, 0] >= 0] == large
    for number in large:
        part = np.ascontiguousarray(matrix.columns[:, row == number])
        totals = [least.total_after(part, matrix.guess_code(guess)) for guess in range(matrix.guesses.size)]
        of_orbit = [{totals[g] for g in np.flatnonzero(orbits[number] == f)} for f in set(orbits[number].tolist())]
        assert all(len(alike) == 1 for alike in of_orbit)
    assert any(len(set(orbits[number].tolist())) < matrix.guesses.size for number in large)


@pytest.mark.parametrize("rules", [Rules(3, 4), Rules(4, 4)])
def test_try_guess_takes_orbits_of_part_that_it_searches(monkeypatch, rules):
    def orbits_after(matrix, guess):
        """Call all guesses equally good, which is wrong, in the parts that need no search."""
        sizes = np.bincount(matrix.tables.by_guess[guess], minlength=matrix.tables.all_black + 1)
        return np.where(sizes[:, None] < 3, 0, -1).astype(np.int32) + np.zeros(matrix.guesses.size, np.int32)

    monkeypatch.setattr(GuessMatrix, "orbits_after", orbits_after)
    bounds = []
    for tuning in (Tuning(), Tuning(patience=0)):
        matrix = GuessMatrix(CodeSpace(rules, tuning), all_codes(rules))
        solver = TotalSolver(matrix, new_totals(1024))
        entries = solver.list_guesses(matrix.all_indices, UNLIMITED, NEVER)
        bounds.append([])
        for entry in entries:
            solver.begin(matrix.all_indices, UNLIMITED, NEVER)
            bounds[-1].append(solver.try_guess(entry))
    assert bounds[0] == bounds[1]


@pytest.mark.parametrize("tuning", [Tuning(), Tuning(stack_rows=5, tried_partitions=7)])
@pytest.mark.parametrize("rules", [RULES, Rules(4, 4)])
def test_stack_takes_stated_bytes(rules, tuning):
    tables = GuessMatrix(CodeSpace(rules), all_codes(rules)).tables
    guesses, codes = tables.by_guess.shape
    stack = new_stack(tables, tuning)
    widest = (8 - stack.seen.itemsize) * guesses  # of rules with more feedbacks
    assert stack_bytes(codes, guesses, tuning) == sum(array.nbytes for array in stack) + widest


def test_node_has_room_for_feedbacks_of_nine_pegs():
    arrays = [node for node in new_record(NODE) if isinstance(node, np.ndarray)]
    assert len(arrays) == 6
    assert all(array.size >= CodeSpace(Rules(9, 2)).max_parts + 2 for array in arrays)


def test_keep_first_of_each_orbit_keeps_first_listed():
    stack = new_stack(GuessMatrix(CodeSpace(RULES), all_codes(RULES)).tables)
    orbit = np.arange(27, dtype=np.int32) % 4
    listed = [(50 << GUESS_BITS) + guess for guess in (6, 2, 5, 1, 3, 7, 8)]
    stack.entries[1, : len(listed)] = listed
    stack.state[1].listed = len(listed)
    keep_first_of_each_orbit(stack, np.full(27, -1, np.int32))
    assert stack.state[1].listed == len(listed)
    for _ in range(2):
        keep_first_of_each_orbit(stack, orbit)
        left = stack.entries[1, : stack.state[1].listed]
        assert [entry_guess(int(entry)) for entry in left] == [6, 5, 3, 8]


def test_exchange_bound_gives_both_searches_better_bound():
    """Both searches get the better of two bounds, and give up what reaches it, even if they had begun it."""
    node, shared = new_record(NODE, upper=60, best=5, least=NEVER, lower=50, open_parts=2), new_record(SHARED, upper=70)
    exchange_bound(node, shared)
    assert shared.tolist() == (60, 0)
    assert (node.upper, node.best, node.open_parts) == (60, 5, 2)
    shared.upper = 55
    exchange_bound(node, shared)
    assert (node.upper, node.best, node.least, node.open_parts) == (55, NONE, NEVER, 2)
    shared.upper = 50
    exchange_bound(node, shared)
    assert (node.upper, node.best, node.least, node.open_parts) == (50, NONE, 50, 0)
    exchange_bound(node, shared)
    assert (node.upper, shared.upper) == (50, 50)


def test_guess_that_its_estimate_rules_out_is_bounded_by_it():
    matrix = GuessMatrix(CodeSpace(RULES), all_codes(RULES))
    solver = TotalSolver(matrix, new_totals(64))
    last = solver.list_guesses(matrix.all_indices, UNLIMITED, NEVER)[-1]
    estimate = last >> GUESS_BITS
    solver.begin(matrix.all_indices, UNLIMITED, estimate)
    assert solver.try_guesses([last]) == (estimate, NEVER, None)


def test_total_solver_raises_when_stopped():
    matrix, shared = GuessMatrix(CodeSpace(RULES), all_codes(RULES)), new_record(SHARED, is_stopped=1)
    with pytest.raises(StoppedError):
        TotalSolver(matrix, new_totals(64), shared).solve(matrix.all_indices)


def test_proof_log_subproblems_name_first_guess_and_feedback():
    proof_log = ProofLog(RULES)
    solve(RULES, "worst", proof_log=proof_log, tuning=EARLY)
    assert {subproblem.limit for subproblem in proof_log.known} == {2, 3}
    assert {subproblem.first for subproblem in proof_log.known} <= {(0, 0, 0), (0, 0, 1), (0, 1, 2)}
    assert all(subproblem.feedback != Feedback(3, 0) for subproblem in proof_log.known)
