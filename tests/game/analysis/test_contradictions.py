from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.analysis import contradictions
from evilpegs_game.analysis.contradictions import contradiction
from evilpegs_game.codes import code_at
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import Feedback, Turn, feedback, feedbacks
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules
from support.uncountable import uncountable_turns

SMALL = [Rules(2, 3), Rules(3, 3), Rules(3, 4, repeats=False), Rules(4, 2)]


def met_together(rules, turns):
    """Return the sets of turns, by their places, that each code satisfies."""
    codes = [code_at(index, rules) for index in range(rules.size)]
    return {
        frozenset(place for place, (guess, given) in enumerate(turns) if feedback(guess, code) == given)
        for code in codes
    }


@st.composite
def boards(draw):
    """Draw turns that may contradict each other or be impossible."""
    rules = draw(st.sampled_from(SMALL))
    codes = st.integers(0, rules.size - 1).map(lambda index: code_at(index, rules))
    return rules, tuple(draw(st.lists(st.builds(Turn, codes, st.sampled_from(feedbacks(rules.pegs))), max_size=5)))


def can_be_met(places, met):
    return any(each.issuperset(places) for each in met)


@given(boards())
def test_contradiction_finds_fewest_turns(board):
    rules, turns = board
    found, met = contradiction(rules, turns, LiveSets()), met_together(rules, turns)
    smallest = [
        places
        for size in range(len(turns) + 1)
        for places in combinations(range(len(turns)), size)
        if not can_be_met(places, met)
    ]
    assert bool(found) == bool(smallest)
    if found:
        assert found == max((one for one in smallest if len(one) == len(smallest[0])), key=lambda one: one[::-1])


@given(boards())
def test_contradiction_of_many_turns_is_irreducible(board):
    rules, turns = board
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contradictions, "MAX_TURNS", 0)
        found = contradiction(rules, turns, LiveSets())
    met = met_together(rules, turns)
    assert bool(found) == (not can_be_met(range(len(turns)), met))
    assert not found or not can_be_met(found, met)
    for left_out in found:
        assert can_be_met([place for place in found if place != left_out], met)


def test_contradiction_of_impossible_feedback_is_one_turn():
    assert contradiction(
        Rules(4, 6), (Turn((0, 0, 1, 1), Feedback(1, 0)), Turn((0, 1, 2, 3), Feedback(3, 1))), LiveSets()
    ) == (1,)


def test_contradiction_refuses_uncountable_rules():
    with pytest.raises(TooLargeError):
        contradiction(Rules(16, 34), uncountable_turns(), LiveSets())
