import numba
import pytest

from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.codes import code_at
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.against_evil import ShortestLineSearch
from evilpegs_game.rules import Rules

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
KNOWN = {"3x3": 3, "3x5": 4, "4x5": 5}
"""Guesses needed, computed by an independent program; the devil forces 4, 5 and 5."""
TINY = [Rules(1, 1), Rules(1, 3), Rules(2, 2), Rules(2, 3), Rules(2, 3, repeats=False), Rules(3, 2)]


def plain_shortest(rules):
    """Return the least number of guesses, found by trying every guess at every live set."""
    start = Position(rules, (), LiveSets())
    reached = {tuple(start.candidate(index) for index in range(start.count)): start}
    guesses = 1
    while not any(len(codes) == 1 for codes in reached):
        following = {}
        for position in reached.values():
            for index in range(rules.size):
                after = position.after(code_at(index, rules), Evil().reply(position, code_at(index, rules)))
                following[tuple(after.candidate(index) for index in range(after.count))] = after
        reached, guesses = following, guesses + 1
    return guesses


def replay(line, rules):
    """Return evil's feedback to each guess of a line and how many codes it leaves."""
    position, turns = Position(rules, (), LiveSets()), []
    for guess, _, _ in line:
        feedback = Evil().reply(position, guess)
        position = position.after(guess, feedback)
        turns.append((guess, feedback, position.count))
    return turns


@pytest.mark.parametrize("rules", TINY, ids=str)
def test_against_evil_line_is_shortest_by_definition(rules):
    line = ShortestLineSearch(rules).run()
    assert len(line) == plain_shortest(rules)
    assert replay(line, rules) == [tuple(turn) for turn in line]
    assert line[-1].feedback == all_black(rules.pegs)


@compiled
@pytest.mark.parametrize(("rules", "guesses"), KNOWN.items())
def test_against_evil_known_numbers(rules, guesses):
    tried = []
    line = ShortestLineSearch(Rules.parse(rules)).run(tried.append)
    assert len(line) == guesses == tried[-1]
    assert tried == list(range(tried[0], guesses + 1))
    assert replay(line, Rules.parse(rules)) == [tuple(turn) for turn in line]


@compiled
@pytest.mark.parametrize("rules", [Rules(2, 4), Rules(2, 5), Rules(3, 3), Rules(3, 4, repeats=False)], ids=str)
def test_against_evil_larger_rules_by_definition(rules):
    assert len(ShortestLineSearch(rules).run()) == plain_shortest(rules)


@compiled
def test_against_evil_classic_takes_five():
    """Knuth's strategy needs five too; four are too few, because every first guess leaves more than 183 codes."""
    line = ShortestLineSearch(Rules(4, 6)).run()
    assert len(line) == 5
    assert replay(line, Rules(4, 6)) == [tuple(turn) for turn in line]


def test_against_evil_counts_work():
    search = ShortestLineSearch(Rules(2, 3))
    search.run()
    assert 10 < search.work <= 10_000


def test_against_evil_refuses_too_large_rules():
    with pytest.raises(TooLargeError, match="8x10"):
        ShortestLineSearch(Rules(8, 10))
