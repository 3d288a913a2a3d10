from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codemakers.codemaker import Evil, evil_replies
from evilpegs_game.codemakers.devil import Devil
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import code_at, parse_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from support.examples import share
from support.messages import values_in

solver = cache(WorstCase)


def start(rules):
    return Position(rules, (), LiveSets())


def play(codemaker, rules, *guesses):
    """Return the feedback to each guess, as text."""
    position = start(rules)
    for guess in guesses:
        code = parse_code(guess, rules)
        position = position.after(code, codemaker.reply(position, code))
    return [str(turn.feedback) for turn in position.history]


def test_devil_outlasts_evil_on_3x5():
    """After 123 the largest part needs three more guesses; the devil's part is smaller and needs four."""
    rules = Rules(3, 5)
    guesses = ["123", "234", "415", "552"]
    assert play(Evil(), rules, *guesses)[-1] == "3,0"
    devil = Devil(solver(rules), exact_up_to=rules.size)
    assert play(devil, rules, *guesses)[0] == "1,0"
    assert "3,0" not in play(devil, rules, *guesses)
    position = start(rules).after((0, 1, 2), Feedback(1, 0))
    assert solver(rules).value(position.candidates) == 4
    assert solver(rules).value(start(rules).after((0, 1, 2), Feedback(0, 1)).candidates) == 3


def test_devil_is_greedy_above_exact_limit():
    rules = Rules(3, 3)
    devil = Devil(solver(rules), exact_up_to=26)
    for guess in ((0, 0, 0), (0, 0, 1), (0, 1, 2)):
        assert devil.reply(start(rules), guess) == Evil().reply(start(rules), guess)
        assert devil.allowed_replies(start(rules), guess)[1:] == ("greedy", 0)
    after = start(rules).after((0, 0, 1), Feedback(1, 0))
    assert devil.allowed_replies(after, (0, 1, 2)).method == "exact"
    assert Devil(solver(rules), exact_up_to=27).allowed_replies(start(rules), (0, 0, 1)).method == "exact"


@pytest.mark.parametrize("exact_up_to", [0, 27])
@pytest.mark.parametrize("index", range(2))
def test_devil_asks_tie_break_like_evil(exact_up_to, index):
    calls = []

    def tie_break(turn, count):
        calls.append((turn, count))
        return index % count

    rules = Rules(3, 3)
    devil = Devil(solver(rules), exact_up_to, tie_break)
    # After 123 three parts of six codes need three more guesses, and so does no larger one.
    allowed = solver(rules).hardest_replies(start(rules).candidates, (0, 1, 2)).replies
    assert len(allowed) == 3
    reply = devil.reply(start(rules), (0, 1, 2))
    if exact_up_to:
        assert reply == allowed[index]
        assert calls == [(1, 3)]
    else:
        tied = evil_replies(start(rules), (0, 1, 2))
        assert reply == tied[index % len(tied)]
        assert calls == ([(1, len(tied))] if len(tied) > 1 else [])
    before = list(calls)
    devil.reply(start(rules).after((0, 0, 0), Feedback(3, 0)), (0, 0, 0))
    assert calls == before  # there was no choice


@settings(max_examples=share(30))
@given(st.data())
def test_devil_reply_is_at_least_evils(data):
    rules = data.draw(st.sampled_from([Rules(2, 4), Rules(3, 3), Rules(2, 5, repeats=False)]))
    devil = Devil(solver(rules), exact_up_to=rules.size)
    position = start(rules)
    codes = st.integers(0, rules.size - 1).map(lambda index: code_at(index, rules))
    for guess in data.draw(st.lists(codes, max_size=5)):
        reply = devil.reply(position, guess)
        values = [
            solver(rules).value(position.after(guess, one).candidates) for one in (reply, Evil().reply(position, guess))
        ]
        assert values[0] >= values[1]
        assert (reply == all_black(rules.pegs)) == (list(position.parts(guess)) == [all_black(rules.pegs)])
        position = position.after(guess, reply)
        if reply == all_black(rules.pegs):
            break
    assert position.count >= 1


def test_devil_over_budget_gives_no_reply():
    rules = Rules(3, 3)
    fresh = Devil(WorstCase(rules), exact_up_to=27, budget=10)
    with pytest.raises(OverBudgetError, match=r"\b10\b"):
        fresh.reply(start(rules), (0, 0, 1))
    assert "budget=10" in repr(fresh)


def test_devil_refuses_limit_too_large_to_solve():
    rules = Rules(5, 6)
    large = WorstCase(rules)
    with pytest.raises(TooLargeError, match="5,000") as caught:
        Devil(large, exact_up_to=5000)
    assert {"5x6", f"{2 * 5000 * 6**5:,}"} <= values_in(caught.value)
    assert Devil(large, exact_up_to=4000).method_for(4001) == "greedy"


def test_devil_refuses_other_rules():
    with pytest.raises(ValueError, match="3x4") as caught:
        Devil(solver(Rules(3, 3)), exact_up_to=27).reply(start(Rules(3, 4)), (0, 0, 1))
    assert "3x3" in values_in(caught.value)
