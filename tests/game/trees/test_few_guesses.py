"""A quick decision if four guesses are enough is that of the solver of worst cases, on sets that guesses left."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import all_codes, column_code
from evilpegs_game.feedback import all_black
from evilpegs_game.partition import split
from evilpegs_game.rules import Rules
from evilpegs_game.trees.few_guesses import FewGuesses

RULES = [Rules.parse(name) for name in ("2x9", "2x12", "3x6", "3x8", "4x5", "4x7", "4x7-distinct", "5x3", "6x2")]
FEW, WORST = {rules: FewGuesses(rules) for rules in RULES}, {rules: WorstCase(rules) for rules in RULES}


@st.composite
def positions(draw):
    """Rules, and the codes that up to two guesses of a code to others left."""
    rules = draw(st.sampled_from(RULES))
    columns, guesses = all_codes(rules), []
    for _ in range(draw(st.integers(0, 2))):
        guesses.append(column_code(all_codes(rules), draw(st.integers(0, rules.size - 1))))
        parts = [part for reply, part in split(columns, guesses[-1]) if reply != all_black(rules.pegs)]
        assume(parts)
        columns = draw(st.sampled_from(sorted(parts, key=lambda part: -part.shape[1])[:4]))
    return rules, columns, guesses


@given(positions(), st.integers(1, 4))
def test_decision_is_that_of_the_solver(position, left):
    rules, columns, guesses = position
    assert FEW[rules].are_enough(columns, left, guesses) == WORST[rules].is_solvable(columns, left)


@pytest.mark.parametrize(("name", "guess", "reply"), [("4x7", (0, 0, 1, 2), "0,1"), ("3x8", (0, 1, 2), "0,1")])
def test_both_answers_occur(name, guess, reply):
    """With a reply of many codes, four guesses are not enough; with one of few they are."""
    rules = Rules.parse(name)
    parts = {str(answer): part for answer, part in split(all_codes(rules), guess)}
    assert not FewGuesses(rules).are_enough(parts[reply], 4, [guess])
    least = min((part for part in parts.values() if part.shape[1] > 2), key=lambda part: part.shape[1])
    assert FewGuesses(rules).are_enough(least, 4, [guess])
