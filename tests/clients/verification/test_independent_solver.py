"""The independent solver against minimax written in a few lines, and against known numbers."""

from functools import cache
from itertools import combinations, count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_clients.verification.independent.definitions import Marks, Space, marks_of
from evilpegs_clients.verification.independent.enumeration import live_codes
from evilpegs_clients.verification.independent.replies import hardest_replies
from evilpegs_clients.verification.independent.solver import ExhaustiveSolver, TooMuchWorkError
from evilpegs_game.codes import SYMBOLS
from support.examples import share

SPACES = {
    "2x3": Space(2, 3, True, SYMBOLS[:3]),
    "3x3": Space(3, 3, True, SYMBOLS[:3]),
    "2x5": Space(2, 5, True, SYMBOLS[:5]),
    "3x4-distinct": Space(3, 4, False, SYMBOLS[:4]),
}


def guesses_needed(solver, codes):
    """Return the fewest guesses that suffice for all ``codes``."""
    return next(guesses for guesses in count(1) if solver.solvable(codes, guesses))


def solver_of(space):
    return ExhaustiveSolver(space, live_codes(space, ()))


def split(codes, guess):
    parts = {}
    for code in codes:
        parts.setdefault(marks_of(guess, code), []).append(code)
    return {given: tuple(part) for given, part in parts.items()}


@cache
def needed(space, codes):
    """Return the value by its definition."""
    if len(codes) == 1:
        return 1
    values = []
    for guess in space.codes():
        parts = split(codes, guess)
        if len(parts) > 1:
            values.append(1 + max(needed(space, part) for given, part in parts.items() if given != space.all_black))
    return min(values)


@pytest.mark.parametrize("name", SPACES)
@given(st.data())
@settings(max_examples=share(25))
def test_solver_value_matches_definition(name, data):
    space = SPACES[name]
    every = list(space.codes())
    chosen = sorted(data.draw(st.sets(st.integers(0, len(every) - 1), min_size=1, max_size=9)))
    value = guesses_needed(solver_of(space), np.array(chosen))
    assert value == needed(space, tuple(every[place] for place in chosen))


def test_part_with_one_code_more_than_guesses_is_searched():
    """Many sets of 14 codes of 4x2 are not solved with three guesses for this reason alone."""
    space = Space(4, 2, True, SYMBOLS[:2])
    every = list(space.codes())
    for left_out in combinations(range(len(every)), 2):
        chosen = [place for place in range(len(every)) if place not in left_out]
        value = guesses_needed(solver_of(space), np.array(chosen))
        assert value == needed(space, tuple(every[place] for place in chosen))


@given(st.data())
def test_hardest_replies_match_definition(data):
    space = SPACES["3x3"]
    every = list(space.codes())
    chosen = sorted(data.draw(st.sets(st.integers(0, 26), min_size=1, max_size=12)))
    guess = data.draw(st.sampled_from(every))
    solver = solver_of(space)
    replies = hardest_replies(solver.parts(np.array(chosen), guess), space.all_black, solver)
    parts = split([every[place] for place in chosen], guess)
    others = {given: part for given, part in parts.items() if given != space.all_black}
    worth = {given: (needed(space, part), len(part)) for given, part in others.items()}
    assert replies == (sorted(g for g in worth if worth[g] == max(worth.values())) or [space.all_black])


# Knuth 1976 for 4x6; the design document for 3x5.
@pytest.mark.parametrize(("pegs", "colors", "guesses"), [(4, 6, 5), (3, 5, 5)])
def test_solver_matches_published_numbers(pegs, colors, guesses):
    solver = solver_of(Space(pegs, colors, True, SYMBOLS[:colors]))
    assert guesses_needed(solver, solver.all) == guesses


def test_hardest_reply_differs_from_largest():
    """On 3x5 some guesses have a hardest part that is not the largest."""
    space = Space(3, 5, True, SYMBOLS[:5])
    solver = solver_of(space)
    assert all(hardest_replies(solver.parts(solver.all, guess), space.all_black, solver) for guess in space.codes())
    found = []
    for guess in space.codes():
        parts = solver.parts(solver.all, guess)
        (reply, *_) = hardest_replies(parts, space.all_black, solver)
        found.append(len(parts[reply]) < max(map(len, parts.values())))
    assert any(found)


def test_solver_keeps_bounds():
    with pytest.raises(TooMuchWorkError, match=r"1,000,000.*1,000\b.*16,777,216"):
        ExhaustiveSolver(Space(6, 10, True, SYMBOLS[:10]), np.zeros((6, 1000), dtype=np.uint8))
    solver = solver_of(SPACES["3x3"])
    solver.allow(100)
    with pytest.raises(TooMuchWorkError, match=r"\b100\b"):
        guesses_needed(solver, solver.all)
    solver.allow(10**6)
    assert guesses_needed(solver, solver.all) == needed(SPACES["3x3"], tuple(SPACES["3x3"].codes()))


def test_solver_parts_are_in_feedback_order():
    solver = solver_of(SPACES["3x3"])
    parts = solver.parts(solver.all, (0, 0, 1))
    assert list(parts) == sorted(parts)
    assert parts[Marks(3, 0)].tolist() == [1]
