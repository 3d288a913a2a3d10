"""The search of many guesses at once beside part size tables and beside the search of one guess after the other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, code_at
from evilpegs_game.feedback import Turn, feedback
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS
from evilpegs_game.guessing.guess_cursor import make_hits
from evilpegs_game.guessing.guess_rows import MAX_CODES, best_of_few, count_parts_of_each
from evilpegs_game.guessing.plain import plain_best_guess
from evilpegs_game.guessing.search import best_of_many
from evilpegs_game.guessing.selection import guessed_color_mask
from evilpegs_game.live.position import Position
from evilpegs_game.partition import part_size_table
from evilpegs_game.rules import Rules
from support.examples import share

CRITERIA = [MINIMAX, LEXICOGRAPHIC, EXPECTED_SIZE, ENTROPY, MOST_PARTS]
RULES = [Rules(4, 6), Rules(5, 4), Rules(3, 9), Rules(2, 20), Rules(4, 7, repeats=False), Rules(4, 6, repeats=False)]


@st.composite
def positions(draw):
    """Draw a position after one or two guesses, mostly with more than one word of candidates."""
    rules = draw(st.sampled_from(RULES))
    codes = st.integers(0, rules.size - 1).map(lambda index: code_at(index, rules))
    secret, guesses = draw(codes), draw(st.lists(codes, min_size=0 if rules.size <= MAX_CODES else 1, max_size=2))
    return Position(rules, tuple(Turn(guess, feedback(guess, secret)) for guess in guesses))


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: criterion.name)
@settings(max_examples=share(20), deadline=None)
@given(position=positions())
def test_best_of_few_is_that_of_tables_and_of_one_by_one(criterion, position):
    rules, live = position.rules, np.array(position.candidates)
    if live.shape[1] < 3:
        return
    expected = plain_best_guess(live, all_codes(rules), criterion)
    rule, weights = criterion.measure(live.shape[1])
    given = live, rules.colors, rules.repeats, guessed_color_mask(position.history), rule, weights, False
    assert tuple(best_of_few(*given, 1)[0].tolist()) == expected
    assert tuple(best_of_many(*given).tolist()) == expected


@settings(max_examples=share(30), deadline=None)
@given(position=positions())
def test_listed_guesses_have_the_least_scores(position):
    """A guess that no other can beat ends the search, and the list."""
    rules, live = position.rules, np.array(position.candidates)
    if live.shape[1] < 3:
        return
    rule, weights = EXPECTED_SIZE.measure(live.shape[1])
    guessed = (1 << rules.colors) - 1
    guesses, scores = best_of_few(live, rules.colors, rules.repeats, guessed, rule, weights, True, 5)
    found = scores[scores >= 0].tolist()
    least = sorted(squared_sizes(live, live))[:5]
    assert found == least[: len(found)]
    assert len(found) == len(least) or found[0] == live.shape[1]
    listed = guesses.reshape(5, rules.pegs)[scores >= 0].T
    assert squared_sizes(live, np.ascontiguousarray(listed)) == found


def squared_sizes(live, guesses):
    return (part_size_table(live, guesses).astype(np.int64) ** 2).sum(axis=0).tolist()


@settings(max_examples=share(30), deadline=None)
@given(position=positions())
def test_parts_of_each_guess_are_those_of_the_table(position):
    live = np.array(position.candidates)
    guesses = np.array(all_codes(position.rules))
    hits, matches = make_hits(live, position.rules.colors)
    sizes, table = count_parts_of_each(guesses, hits, matches), part_size_table(live, guesses)
    assert (np.sort(sizes, axis=0) == np.sort(table, axis=0)).all()
    assert (sizes[-1] == table[-1]).all()
