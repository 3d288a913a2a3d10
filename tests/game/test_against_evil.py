import numba
import pytest

from evilpegs_game.against_evil import AgainstEvil
from evilpegs_game.candidates import LiveSets, Position
from evilpegs_game.codemaker import Evil
from evilpegs_game.codes import code_at
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import all_black
from evilpegs_game.rules import Rules

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
KNOWN = {"3x3": 3, "3x5": 4, "4x5": 5}
"""Computed by a program written apart; the devil forces 4, 5 and 5."""
TINY = [Rules(1, 1), Rules(1, 3), Rules(2, 2), Rules(2, 3), Rules(2, 3, repeats=False), Rules(3, 2)]


def plain_shortest(rules):
    """Every guess is tried at every live set, a guess deeper each round."""
    start = Position(rules, (), LiveSets())
    reached = {tuple(start.candidate(place) for place in range(start.count)): start}
    guesses = 1
    while not any(len(codes) == 1 for codes in reached):
        following = {}
        for position in reached.values():
            for index in range(rules.size):
                after = position.after(code_at(index, rules), Evil().reply(position, code_at(index, rules)))
                following[tuple(after.candidate(place) for place in range(after.count))] = after
        reached, guesses = following, guesses + 1
    return guesses


def replay(line, rules):
    """What evil says to the guesses of a line and how many codes that leaves."""
    position, turns = Position(rules, (), LiveSets()), []
    for guess, _, _ in line:
        given = Evil().reply(position, guess)
        position = position.after(guess, given)
        turns.append((guess, given, position.count))
    return turns


@pytest.mark.parametrize("rules", TINY, ids=str)
def test_the_shortest_line_by_the_definition(rules):
    line = AgainstEvil(rules).shortest()
    assert len(line) == plain_shortest(rules)
    assert replay(line, rules) == [tuple(turn) for turn in line]
    assert line[-1].feedback == all_black(rules.pegs)


@compiled
@pytest.mark.parametrize(("rules", "guesses"), KNOWN.items())
def test_known_numbers(rules, guesses):
    tried = []
    line = AgainstEvil(Rules.parse(rules)).shortest(tried.append)
    assert len(line) == guesses == tried[-1]
    assert tried == list(range(tried[0], guesses + 1))
    assert replay(line, Rules.parse(rules)) == [tuple(turn) for turn in line]


@compiled
@pytest.mark.parametrize("rules", [Rules(2, 4), Rules(2, 5), Rules(3, 3), Rules(3, 4, repeats=False)], ids=str)
def test_the_shortest_line_of_larger_rules_by_the_definition(rules):
    assert len(AgainstEvil(rules).shortest()) == plain_shortest(rules)


@compiled
def test_classic_takes_five():
    """Knuth's strategy does it too; four are too few, as no first guess leaves 183 codes or fewer."""
    line = AgainstEvil(Rules(4, 6)).shortest()
    assert len(line) == 5
    assert replay(line, Rules(4, 6)) == [tuple(turn) for turn in line]


def test_what_is_over_the_budget_is_refused():
    with pytest.raises(OverBudgetError, match="than the budget allows"):
        AgainstEvil(Rules(2, 3), budget=10).shortest()
    asked = AgainstEvil(Rules(2, 3), budget=10_000)
    asked.shortest()
    assert 10 < asked.work <= 10_000


def test_rules_that_do_not_fit_are_refused():
    with pytest.raises(TooLargeError, match="8x10 is too large"):
        AgainstEvil(Rules(8, 10))
