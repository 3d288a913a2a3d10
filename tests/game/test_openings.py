"""Proofs that are ended and go on, and threads that share them. What is proved is in test_optimal.py."""

import threading

import numba
import numpy as np
import pytest

from evilpegs_game import optimal
from evilpegs_game.codes import all_codes
from evilpegs_game.feedback import Feedback
from evilpegs_game.least import board as least_board
from evilpegs_game.least import frame as least_frame
from evilpegs_game.least import openings
from evilpegs_game.least import searcher as least_searcher
from evilpegs_game.least.board import (
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
from evilpegs_game.least.frame import Frame, Ground, guess_of
from evilpegs_game.least.journal import Journal
from evilpegs_game.least.search import _share, _take_one_a_family
from evilpegs_game.least.searcher import Searcher, StoppedError, new_shared
from evilpegs_game.least.solved_totals import new_totals
from evilpegs_game.least.total import LeastTotal
from evilpegs_game.optimal import solve
from evilpegs_game.rules import Rules
from support.plain_least_total import played

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
RULES = Rules(3, 3)
LARGER = Rules(2, 6)


@pytest.fixture(autouse=True)
def shared_early(monkeypatch):
    """Let threads share the guesses of sets that are small enough for a test."""
    monkeypatch.setattr(openings, "_WORTH_SHARING", 6)


class EndedError(Exception):
    """Somebody presses Ctrl-C."""


def ended_after(times):
    """A `progress` that lets a proof go on so many times."""
    left = iter(range(times))

    def progress(_):
        if next(left, None) is None:
            raise EndedError

    return progress


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("objective", ["mean", "worst"])
def test_threads_prove_the_same(threads, objective):
    solution = solve(RULES, objective, threads)
    assert (solution.total, solution.max, solution.lower) == (73, 4, 73)
    assert played(solution.tree) == (73, 4)


@pytest.mark.parametrize("rough", [0, 3])
def test_a_better_guess_is_found_by_whichever_thread(monkeypatch, rough):
    """Also where the first answers are poor, so that threads find better ones and tell each other."""
    monkeypatch.setattr(openings, "_WIDTH", rough or 1)
    solution = solve(LARGER, threads=3)
    assert (solution.total, solution.lower) == (132, 132)
    assert played(solution.tree)[0] == 132


@pytest.mark.parametrize("times", [0, 1, 3, 10, 20, 30])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_proof_that_was_ended_goes_on(times, threads):
    journal = Journal(LARGER)
    with pytest.raises(EndedError):
        solve(LARGER, threads=threads, journal=journal, progress=ended_after(times))
    kept = Journal.from_text(journal.to_text())
    again = solve(LARGER, journal=kept)
    assert (again.total, again.lower) == (132, 132)
    assert played(again.tree)[0] == 132


def test_all_threads_have_ended_when_a_proof_was():
    before = threading.active_count()
    for times in range(0, 40, 5):
        with pytest.raises(EndedError):
            solve(LARGER, threads=3, progress=ended_after(times))
        assert threading.active_count() == before


def test_a_journal_of_a_whole_proof_leaves_nothing_to_prove(monkeypatch):
    journal = Journal(RULES)
    assert solve(RULES, journal=journal).total == 73
    assert not journal.tried
    assert {question.limit for question in journal.answers} == {UNLIMITED}
    best = [answer for question, answer in journal.answers.items() if question.after == (0, 0, 1)]
    assert all(answer.lower == answer.upper < NEVER for answer in best)
    monkeypatch.setattr(Searcher, "try_guesses", None)  # of the first guess nothing is asked again, but for the tree
    told = []
    with pytest.raises(TypeError):
        solve(RULES, journal=Journal.from_text(journal.to_text()), progress=told.append)
    assert told[-1] == (None, 73, 73)


def test_what_was_tried_is_not_tried_again(monkeypatch):
    attempts = []
    attempt = Searcher.begin  # once for each guess that is tried, and for little else
    monkeypatch.setattr(Searcher, "begin", lambda self, *given: attempts.append(given) or attempt(self, *given))
    solve(LARGER)
    whole = len(attempts)
    journal = Journal(LARGER)
    with pytest.raises(EndedError):
        solve(LARGER, journal=journal, progress=ended_after(40))
    before = len(attempts)
    assert solve(LARGER, journal=journal).total == 132
    assert len(attempts) - before < whole - 25


@pytest.mark.parametrize("rules", ["3x3", "2x6", "2x8", "3x4-distinct", pytest.param("3x6", marks=compiled)])
def test_where_a_guess_takes_long_the_total_is_the_same(monkeypatch, rules):
    """It is begun again, with fewer guesses after it; nothing is lost of what was found just when it was stopped."""
    expected = solve(Rules.parse(rules)).total
    monkeypatch.setattr(least_searcher, "_PATIENCE", 0)
    monkeypatch.setattr(least_frame, "_WORTH_FAMILIES", 3)
    solution = solve(Rules.parse(rules))
    assert (solution.total, solution.lower) == (expected, expected)
    assert played(solution.tree)[0] == expected


def test_with_little_room_it_takes_longer_and_the_total_is_the_same(monkeypatch):
    """No frame is kept, hardly any partition, few totals."""
    monkeypatch.setattr(openings, "KEPT_BYTES", 0)
    monkeypatch.setattr(least_board, "_TRIED", 1)
    monkeypatch.setattr(optimal, "_entries", lambda _: 8)
    assert solve(LARGER).total == 132
    assert solve(Rules(3, 4)).total == 206


def test_guesses_of_one_family_are_as_good_as_each_other(monkeypatch):
    monkeypatch.setattr(least_frame, "_WORTH_FAMILIES", 3)
    frame, least = Frame(Ground(RULES), all_codes(RULES)), LeastTotal(RULES)
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


def test_of_each_family_the_first_guess_listed_is_left():
    stack = new_stack(Frame(Ground(RULES), all_codes(RULES)).board)
    family = np.arange(27, dtype=np.int32) % 4
    listed = [(50 << GUESS_BITS) + guess for guess in (6, 2, 5, 1, 3, 7, 8)]
    stack.listed[1, : len(listed)] = listed
    stack.state[1, LISTED] = len(listed)
    _take_one_a_family(stack, np.full(27, -1, np.int32))
    assert stack.state[1, LISTED] == len(listed)
    for _ in range(2):
        _take_one_a_family(stack, family)
        left = stack.listed[1, : stack.state[1, LISTED]]
        assert [guess_of(int(entry)) for entry in left] == [6, 5, 3, 8]


def test_searches_of_one_set_tell_each_other_what_they_found():
    """The better of two bounds is had by both; what reaches it is given up, also when it was begun before."""
    row, shared = np.zeros(12, np.int64), np.array([70, 0])
    row[[UPPER, BEST, LEAST, LOWER, OPEN]] = 60, 5, NEVER, 50, 2
    _share(row, shared)
    assert shared.tolist() == [60, 0]
    assert row[[UPPER, BEST, OPEN]].tolist() == [60, 5, 2]
    shared[SHARED] = 55
    _share(row, shared)
    assert row[[UPPER, BEST, LEAST, OPEN]].tolist() == [55, NONE, NEVER, 2]
    shared[SHARED] = 50
    _share(row, shared)
    assert row[[UPPER, BEST, LEAST, OPEN]].tolist() == [50, NONE, 50, 0]
    _share(row, shared)
    assert (row[UPPER], shared[SHARED]) == (50, 50)


def test_a_stopped_search_says_so():
    frame, shared = Frame(Ground(RULES), all_codes(RULES)), new_shared()
    shared[STOP] = 1
    with pytest.raises(StoppedError):
        Searcher(frame, new_totals(64), shared).least(frame.all_places)


def test_questions_name_the_first_guess_and_its_feedback():
    journal = Journal(RULES)
    solve(RULES, "worst", journal=journal)
    assert {question.limit for question in journal.answers} == {2, 3}
    assert {question.after for question in journal.answers} <= {(0, 0, 0), (0, 0, 1), (0, 1, 2)}
    assert all(question.feedback != Feedback(3, 0) for question in journal.answers)
