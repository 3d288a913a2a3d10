"""Hints: a good guess that is found within a budget, and the numbers that say why it is good."""

import re
from random import Random

import pytest

from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.codes import code_at, parse_code
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import Feedback, Turn, all_black, feedback
from evilpegs_game.guessing.selection import sampled_guess
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_server.work.hints import (
    BEST_CANDIDATE,
    BEST_CODE,
    BEST_SAMPLE,
    FEWEST_SURE,
    FIRST_CANDIDATE,
    HINT_BUDGET,
    find_hint,
)
from evilpegs_server.work.tasks import FindHint
from support.workspaces import new_workspace

CLASSIC, HUGE = Rules(4, 6), Rules(8, 10)
GAMES = 5


def hint_on(rules, history, budget=HINT_BUDGET):
    return FindHint(rules, history, budget).run(new_workspace()).value


def numbers(text):
    """Return the numbers in a text, which may have commas between their digits."""
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\b", text)]


def test_hint_on_first_turn_minimizes_expected_part():
    """1123 has the smallest expected part of all first guesses of 4x6."""
    hint = hint_on(CLASSIC, ())
    assert (hint.code, hint.candidates) == ("1123", 1296)
    assert hint.why.endswith(BEST_CODE)
    assert numbers(hint.why) == [276, 1296]


def test_hint_over_budget_is_a_sample():
    hint = hint_on(CLASSIC, (Turn((0, 0, 0, 0), Feedback(0, 0)),), budget=1)
    assert hint.why.endswith(BEST_SAMPLE)
    assert "1" not in hint.code


def test_hint_without_memory_to_sample_is_first_candidate(monkeypatch):
    position = Position(Rules(5, 6), (), LiveSets(), 1)
    monkeypatch.setattr(Position, "sample", too_large)
    hint = find_hint(position)
    assert hint.code == "11111"
    assert hint.why.endswith(FIRST_CANDIDATE)


def too_large(*_):
    message = "too large"
    raise TooLargeError(message)


def test_hint_on_huge_rules_is_candidate():
    code, history = (0, 1, 2, 3, 4, 5, 6, 7), ()
    hint = hint_on(HUGE, history)
    assert hint.candidates == 10**8
    assert hint.why.endswith(BEST_SAMPLE)
    assert len(set(hint.code)) > 3
    largest, count = numbers(hint.why)
    assert (count, largest) == (10**8, max(Position(HUGE).parts(parse_code(hint.code, HUGE)).values()))
    guess = (0, 1, 2, 3, 4, 5, 7, 6)
    history = (Turn(guess, feedback(guess, code)),)
    hint = hint_on(HUGE, history)
    assert hint.candidates == 28
    assert hint.why.endswith(BEST_CANDIDATE)
    assert feedback(guess, parse_code(hint.code, HUGE)) == Feedback(6, 2)


@pytest.mark.parametrize("first", ["1122", "1112", "1234"])
def test_hints_against_evil_never_lose_a_guess(first):
    """Who follows the criteria needs 6 after 1122; 5 are proved to be enough."""
    position, needed = Position(CLASSIC), []
    guess = parse_code(first, CLASSIC)
    while not position.history or position.history[-1].feedback != all_black(4):
        position = position.after(guess, Evil().reply(position, guess))
        if position.history[-1].feedback != all_black(4):
            hint = FindHint(CLASSIC, position.history, ties="first").run(new_workspace()).value
            guess = parse_code(hint.code, CLASSIC)
            needed += numbers(hint.why.rpartition("; ")[2]) or [1]
            assert hint.why.endswith((FEWEST_SURE, "only code still possible"))
    assert len(position.history) == {"1122": 5, "1112": 5, "1234": 5}[first]
    assert needed == list(range(len(position.history) - 1, 0, -1))


def test_hint_against_evil_beyond_the_budget_is_by_parts():
    hint = FindHint(Rules(6, 10), (), budget=10**6, ties="worst").run(new_workspace()).value
    assert not hint.why.endswith(FEWEST_SURE)


def test_hint_computed_again_is_the_same():
    assert hint_on(HUGE, ()) == hint_on(HUGE, ())


def mean_guesses(rules, choose, budget):
    """Return the mean number of guesses over some games; ``choose`` is called with positions of this budget."""
    rng, live_sets, total = Random(5), LiveSets(), 0
    for _ in range(GAMES):
        secret, position = code_at(rng.randrange(rules.size), rules), Position(rules, (), live_sets, budget)
        while not position.history or position.history[-1].feedback != all_black(rules.pegs):
            guess = choose(position)
            position = position.after(guess, feedback(guess, secret))
        total += len(position.history)
    return total / GAMES


@pytest.mark.full
@pytest.mark.parametrize("rules", [Rules(6, 10), HUGE], ids=str)
def test_games_with_hints_are_as_short_as_games_of_sampled(rules):
    rng = Random(1)
    of_sampled = mean_guesses(rules, lambda position: sampled_guess(position, rng), None)
    with_hints = mean_guesses(rules, lambda position: parse_code(find_hint(position).code, rules), 10**8)
    of_first_candidates = mean_guesses(rules, lambda position: position.first_candidate, None)
    assert with_hints <= 1.1 * of_sampled < of_first_candidates


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
