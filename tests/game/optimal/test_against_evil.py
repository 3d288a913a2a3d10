from collections import defaultdict

import numba
import pytest

from evilpegs_game.codemakers.codemaker import Evil, evil_replies
from evilpegs_game.codes import code_at
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import all_black, plain_feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.against_evil import ShortestLineSearch
from evilpegs_game.rules import Rules

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
KNOWN = {"3x3": 3, "3x5": 4, "4x5": 5}
"""Guesses needed, computed by an independent program; the devil forces 4, 5 and 5."""
WORST_TIES = {"3x3": 4, "3x5": 4, "4x5": 5}
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


def plain_worst_ties(rules, codes):
    """Return the guesses that are sure to be enough if any of the largest parts may be what evil leaves."""
    if len(codes) == 1:
        return 1
    needed = []
    for guess in all_guesses(rules):
        parts = defaultdict(list)
        for code in codes:
            parts[plain_feedback(guess, code)].append(code)
        parts.pop(all_black(rules.pegs), None)
        most = max(map(len, parts.values()))
        if most < len(codes):
            needed.append(1 + max(plain_worst_ties(rules, part) for part in parts.values() if len(part) == most))
    return min(needed)


def all_guesses(rules):
    return [code_at(index, rules) for index in range(rules.size)]


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


@pytest.mark.parametrize("rules", TINY, ids=str)
def test_against_evil_worst_ties_by_definition(rules):
    line = ShortestLineSearch(rules, worst_ties=True).run()
    assert len(line) == plain_worst_ties(rules, all_guesses(rules))
    position = Position(rules, (), LiveSets())
    for guess, feedback, left in line:
        assert feedback in evil_replies(position, guess)
        position = position.after(guess, feedback)
        assert position.count == left
    assert line[-1].feedback == all_black(rules.pegs)


@compiled
@pytest.mark.parametrize(("rules", "guesses"), WORST_TIES.items())
def test_against_evil_worst_ties_known_numbers(rules, guesses):
    assert len(ShortestLineSearch(Rules.parse(rules), worst_ties=True).run()) == guesses


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


def test_against_evil_keeps_to_budget():
    tried = []
    search = ShortestLineSearch(Rules(2, 3), budget=20)
    with pytest.raises(OverBudgetError):
        search.run(tried.append)
    assert tried


def test_against_evil_refuses_too_large_rules():
    with pytest.raises(TooLargeError, match="8x10"):
        ShortestLineSearch(Rules(8, 10))
