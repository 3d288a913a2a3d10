"""Hints: a good guess, found within a budget, and why it is good."""

from evilpegs_game.candidates import Turn
from evilpegs_game.codes import parse_code
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.rules import Rules
from evilpegs_server import tasks
from support.reckoners import reckoner

CLASSIC, HUGE = Rules(4, 6), Rules(8, 10)


def hint_on(rules, history):
    return tasks.Hint(rules, history).do(reckoner()).value


def test_it_is_a_guess_with_small_parts():
    """1123 has the smallest expected part of all first guesses of 4x6."""
    hint = hint_on(CLASSIC, ())
    assert (hint.code, hint.candidates) == ("1123", 1296)
    assert hint.why == "splits 1,296 candidates into 14 parts, the largest 276"


def test_over_its_budget_it_is_the_first_candidate(monkeypatch):
    monkeypatch.setattr(tasks, "HINT_BUDGET", 1)
    history = (Turn((0, 0, 0, 0), Feedback(0, 0)),)
    hint = hint_on(CLASSIC, history)
    assert hint.code == "2222"
    assert hint.why.endswith("; it is the first of too many to be weighed")


def test_where_all_codes_are_too_many_it_is_a_candidate():
    code, history = (0, 1, 2, 3, 4, 5, 6, 7), ()
    hint = hint_on(HUGE, history)
    assert (hint.code, hint.candidates) == ("11111111", 10**8)
    assert hint.why.startswith("splits 100,000,000 candidates into 9 parts, the largest 43,046,721; it is the first")
    guess = (0, 1, 2, 3, 4, 5, 7, 6)
    history = (Turn(guess, feedback(guess, code)),)
    hint = hint_on(HUGE, history)
    assert hint.why.endswith("; only candidates were weighed")
    assert hint.candidates == 28
    assert feedback(guess, parse_code(hint.code, HUGE)) == Feedback(6, 2)


def test_the_only_candidate_is_called_so():
    history = (Turn((0, 0, 0, 0), Feedback(4, 0)),)
    hint = hint_on(CLASSIC, history)
    assert (hint.code, hint.candidates, hint.why) == ("1111", 1, "is the only candidate")
