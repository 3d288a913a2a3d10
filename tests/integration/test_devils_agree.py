"""The replies of the devil as found by two solvers that share no code."""

from random import Random

import pytest

from evilpegs_clients.verification.independent import definitions as plain
from evilpegs_clients.verification.independent.enumeration import live_codes
from evilpegs_clients.verification.independent.replies import hardest_replies
from evilpegs_clients.verification.independent.solver import ExhaustiveSolver
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import SYMBOLS, code_at
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules


def independent_replies(position, guess):
    """Return the replies that the independent solver finds."""
    rules = position.rules
    space = plain.Space(rules.pegs, rules.colors, rules.repeats, SYMBOLS[: rules.colors])
    turns = tuple(plain.MarkedGuess(turn.guess, plain.Marks(*turn.feedback)) for turn in position.history)
    solver = ExhaustiveSolver(space, live_codes(space, turns))
    return hardest_replies(solver.parts(solver.all, guess), space.all_black, solver)


# In each but 4x10-distinct some live sets are large enough to need more than three guesses.
@pytest.mark.parametrize(("text", "most", "wanted"), [("3x6", 216, 20), ("4x6", 700, 40), ("4x10-distinct", 100, 8)])
def test_independent_solvers_give_same_replies(text, most, wanted):
    rules, rng = Rules.parse(text), Random(4)
    solver, live_sets = WorstCase(rules), LiveSets()
    while wanted:
        position = Position(rules, (), live_sets)
        while position.count > 2:
            likely = rng.random() < 0.4
            guess = (
                position.candidate(rng.randrange(position.count))
                if likely
                else code_at(rng.randrange(rules.size), rules)
            )
            if position.count <= most and wanted:
                found = solver.hardest_replies(position.candidates, guess).replies
                assert [*found] == [*independent_replies(position, guess)], (position.history, guess)
                wanted -= 1
            position = position.after(guess, rng.choice([*position.parts(guess)]))
