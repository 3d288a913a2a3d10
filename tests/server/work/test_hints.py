"""Hints: a good guess that is found within a budget, and the numbers that say why it is good."""

import re

from evilpegs_game.codes import parse_code
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.history import Turn
from evilpegs_game.rules import Rules
from evilpegs_server.work.hints import HINT_BUDGET, ComparedGuesses
from evilpegs_server.work.tasks import FindHint
from support.workspaces import new_workspace

CLASSIC, HUGE = Rules(4, 6), Rules(8, 10)


def hint_on(rules, history, budget=HINT_BUDGET):
    return FindHint(rules, history, budget).run(new_workspace()).value


def numbers(text):
    """Return the numbers in a text, which may have commas between their digits."""
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\b", text)]


def test_hint_on_first_turn_minimizes_expected_part():
    """1123 has the smallest expected part of all first guesses of 4x6."""
    hint = hint_on(CLASSIC, ())
    assert (hint.code, hint.candidates, hint.compared) == ("1123", 1296, ComparedGuesses.CODES)
    assert numbers(hint.why) == [1296, 14, 276]


def test_hint_over_budget_is_first_candidate():
    hint = hint_on(CLASSIC, (Turn((0, 0, 0, 0), Feedback(0, 0)),), budget=1)
    assert (hint.code, hint.compared) == ("2222", ComparedGuesses.NONE)


def test_hint_on_huge_rules_is_candidate():
    code, history = (0, 1, 2, 3, 4, 5, 6, 7), ()
    hint = hint_on(HUGE, history)
    assert (hint.code, hint.candidates, hint.compared) == ("11111111", 10**8, ComparedGuesses.NONE)
    assert numbers(hint.why) == [100_000_000, 9, 43_046_721]
    guess = (0, 1, 2, 3, 4, 5, 7, 6)
    history = (Turn(guess, feedback(guess, code)),)
    hint = hint_on(HUGE, history)
    assert (hint.candidates, hint.compared) == (28, ComparedGuesses.CANDIDATES)
    assert feedback(guess, parse_code(hint.code, HUGE)) == Feedback(6, 2)


def test_hint_with_one_candidate_counts_no_parts():
    history = (Turn((0, 0, 0, 0), Feedback(4, 0)),)
    hint = hint_on(CLASSIC, history)
    assert (hint.code, hint.candidates) == ("1111", 1)
    assert numbers(hint.why) == []


def test_hint_reason_tells_what_was_compared():
    """The reasons differ in more than their numbers."""
    turn = Turn((0, 1, 2, 3, 4, 5, 7, 6), Feedback(6, 2))
    hints = [hint_on(CLASSIC, ()), hint_on(HUGE, (turn,)), hint_on(CLASSIC, (), budget=1)]
    assert len({re.sub(r"[\d,]+", "", hint.why) for hint in hints}) == 3
