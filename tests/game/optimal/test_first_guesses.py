"""Proofs that are interrupted and resumed, and threads that share them. test_optimal.py tests what is proved."""

import threading
from dataclasses import replace

import numba
import numpy as np
import pytest

from evilpegs_game.codes import all_codes
from evilpegs_game.feedback import Feedback
from evilpegs_game.optimal.first_guesses import Openings
from evilpegs_game.optimal.guess_matrix import Frame, Ground, guess_of
from evilpegs_game.optimal.least_total import LeastTotal
from evilpegs_game.optimal.proof_log import Journal
from evilpegs_game.optimal.search import share, take_one_a_family
from evilpegs_game.optimal.search_state import (
    BEST,
    GUESS_BITS,
    LEAST,
    LISTED,
    LOWER,
    NEVER,
    NONE,
    OPEN,
    SHARED,
    STOP,
    UNLIMITED,
    UPPER,
    new_stack,
)
from evilpegs_game.optimal.solve import solve
from evilpegs_game.optimal.solver import Searcher, StoppedError, new_shared
from evilpegs_game.optimal.totals_table import new_totals
from evilpegs_game.optimal.tuning import Tuning
from evilpegs_game.rules import Rules
from support.plain_least_total import played

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
    assert played(solution.tree) == (73, 4)


@pytest.mark.parametrize("width", [1, 3])
def test_solve_with_threads_improves_rough_answers(width):
    """With poor first answers the threads find better ones and share them."""
    solution = solve(LARGER, threads=3, tuning=replace(EARLY, rough_width=width))
    assert (solution.total, solution.lower) == (132, 132)
    assert played(solution.tree)[0] == 132


@pytest.mark.parametrize("times", [0, 1, 3, 10, 20, 30])
@pytest.mark.parametrize("threads", [1, 2])
def test_solve_resumes_interrupted_proof(times, threads):
    journal = Journal(LARGER)
    with pytest.raises(EndedError):
        solve(LARGER, threads=threads, journal=journal, progress=ended_after(times), tuning=EARLY)
    kept = Journal.from_text(journal.to_text())
    again = solve(LARGER, journal=kept, tuning=EARLY)
    assert (again.total, again.lower) == (132, 132)
    assert played(again.tree)[0] == 132


def test_solve_ends_its_threads_when_interrupted():
    before = threading.active_count()
    for times in range(0, 40, 5):
        with pytest.raises(EndedError):
            solve(LARGER, threads=3, progress=ended_after(times), tuning=EARLY)
        assert threading.active_count() == before


def test_openings_with_whole_journal_do_no_work():
    journal = Journal(RULES)
    assert solve(RULES, journal=journal, tuning=EARLY).total == 73
    assert not journal.tried
    assert {question.limit for question in journal.answers} == {UNLIMITED}
    best = [answer for question, answer in journal.answers.items() if question.after == (0, 0, 1)]
    assert all(answer.lower == answer.upper < NEVER for answer in best)
    ground = Ground(RULES, EARLY)
    openings = Openings(ground, ground.every, new_totals(64), journal=Journal.from_text(journal.to_text()))
    assert openings.prove().guess == (0, 0, 1)
    assert openings.progress == (None, 73, 73)
    assert openings.work == 0


def test_solve_skips_guesses_tried_before():
    """Progress is reported for each guess that is tried, and for little else."""
    whole, rest = [], []
    solve(LARGER, progress=whole.append, tuning=EARLY)
    journal = Journal(LARGER)
    with pytest.raises(EndedError):
        solve(LARGER, journal=journal, progress=ended_after(30), tuning=EARLY)
    assert sum(map(len, journal.tried.values())) > 15
    assert solve(LARGER, journal=journal, progress=rest.append, tuning=EARLY).total == 132
    assert len(rest) < len(whole) - 20


@pytest.mark.parametrize("rules", ["3x3", "2x6", "2x8", "3x4-distinct", pytest.param("3x6", marks=compiled)])
def test_solve_without_patience_proves_same_total(rules):
    """The guess is begun again with fewer guesses after it, and keeps what it had found when it was stopped."""
    expected = solve(Rules.parse(rules), tuning=EARLY).total
    solution = solve(Rules.parse(rules), tuning=replace(EARLY, patience=0, family_codes=3))
    assert (solution.total, solution.lower) == (expected, expected)
    assert played(solution.tree)[0] == expected


def test_solve_in_little_memory_proves_same_total():
    little = replace(EARLY, kept_bytes=0, tried_partitions=1, entries=8)
    assert solve(LARGER, tuning=little).total == 132
    assert solve(Rules(3, 4), tuning=little).total == 206


def test_frame_families_hold_equally_good_guesses():
    tuning = Tuning(family_codes=3)
    frame, least = Frame(Ground(RULES, tuning), all_codes(RULES)), LeastTotal(RULES, tuning)
    families = frame.families_after(1)
    given = frame.board.by_guess[1]
    large = [number for number in range(frame.board.black) if np.count_nonzero(given == number) >= 3]
    assert [number for number in range(families.shape[0]) if families[number, 0] >= 0] == large
    for number in large:
        part = np.ascontiguousarray(frame.columns[:, given == number])
        totals = [least.after(part, frame.code(guess)) for guess in range(frame.guesses.size)]
        of_family = [{totals[g] for g in np.flatnonzero(families[number] == f)} for f in set(families[number].tolist())]
        assert all(len(alike) == 1 for alike in of_family)
    assert any(len(set(families[number].tolist())) < frame.guesses.size for number in large)


def test_take_one_a_family_keeps_first_listed():
    stack = new_stack(Frame(Ground(RULES), all_codes(RULES)).board)
    family = np.arange(27, dtype=np.int32) % 4
    listed = [(50 << GUESS_BITS) + guess for guess in (6, 2, 5, 1, 3, 7, 8)]
    stack.listed[1, : len(listed)] = listed
    stack.state[1, LISTED] = len(listed)
    take_one_a_family(stack, np.full(27, -1, np.int32))
    assert stack.state[1, LISTED] == len(listed)
    for _ in range(2):
        take_one_a_family(stack, family)
        left = stack.listed[1, : stack.state[1, LISTED]]
        assert [guess_of(int(entry)) for entry in left] == [6, 5, 3, 8]


def test_share_gives_both_searches_better_bound():
    """Both searches get the better of two bounds, and give up what reaches it, even if they had begun it."""
    row, shared = np.zeros(12, np.int64), np.array([70, 0])
    row[[UPPER, BEST, LEAST, LOWER, OPEN]] = 60, 5, NEVER, 50, 2
    share(row, shared)
    assert shared.tolist() == [60, 0]
    assert row[[UPPER, BEST, OPEN]].tolist() == [60, 5, 2]
    shared[SHARED] = 55
    share(row, shared)
    assert row[[UPPER, BEST, LEAST, OPEN]].tolist() == [55, NONE, NEVER, 2]
    shared[SHARED] = 50
    share(row, shared)
    assert row[[UPPER, BEST, LEAST, OPEN]].tolist() == [50, NONE, 50, 0]
    share(row, shared)
    assert (row[UPPER], shared[SHARED]) == (50, 50)


def test_searcher_raises_when_stopped():
    frame, shared = Frame(Ground(RULES), all_codes(RULES)), new_shared()
    shared[STOP] = 1
    with pytest.raises(StoppedError):
        Searcher(frame, new_totals(64), shared).least(frame.all_places)


def test_journal_questions_name_first_guess_and_feedback():
    journal = Journal(RULES)
    solve(RULES, "worst", journal=journal, tuning=EARLY)
    assert {question.limit for question in journal.answers} == {2, 3}
    assert {question.after for question in journal.answers} <= {(0, 0, 0), (0, 0, 1), (0, 1, 2)}
    assert all(question.feedback != Feedback(3, 0) for question in journal.answers)
