"""The two methods of counting parts agree with each other and with the method of the game."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_clients.verification.independent import enumeration
from evilpegs_clients.verification.independent.definitions import MarkedGuess, Marks, Space, marks_of
from evilpegs_game.codes import SYMBOLS
from evilpegs_game.feedback import Feedback, Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from support.patience import PATIENCE


def space_of(text):
    rules = Rules.parse(text)
    return Space(rules.pegs, rules.colors, rules.repeats, SYMBOLS[: rules.colors])


@st.composite
def spaces(draw):
    pegs, repeats = draw(st.integers(1, 5)), draw(st.booleans())
    colors = draw(st.integers(1 if repeats else pegs, {1: 34, 2: 20, 3: 10, 4: 7, 5: 5}[pegs]))
    return Space(pegs, colors, repeats, SYMBOLS[:colors])


@st.composite
def games(draw):
    """A space, and turns that mostly answer for one secret, so that candidates are left."""
    space = draw(spaces())
    codes = list(space.codes())
    secret, *guesses = draw(st.lists(st.sampled_from(codes), min_size=1, max_size=5))
    turns = [MarkedGuess(guess, marks_of(guess, secret)) for guess in guesses]
    if turns and draw(st.integers(0, 4)) == 0:
        black = draw(st.integers(0, space.pegs))
        lie = Marks(black, draw(st.integers(0, space.pegs - black)))
        place = draw(st.integers(0, len(turns) - 1))
        turns[place] = MarkedGuess(turns[place].guess, lie)
    return space, tuple(turns)


@given(games(), st.sampled_from([1, 2, 7, 64, 1000, enumeration.BLOCK]))
def test_block_parts_match_plain_parts(game, block_size):
    space, turns = game
    plain = enumeration.count_parts_plainly(space, turns)
    assert enumeration.count_parts(space, turns, block_size) == plain
    live = [code for code in space.codes() if all(marks_of(guess, code) == marks for guess, marks in turns)]
    assert [tuple(code) for code in enumeration.live_codes(space, turns, block_size).T.tolist()] == live
    assert plain.first == (live[0] if live else None)


@given(games())
def test_game_parts_match_plain_parts(game):
    space, turns = game
    rules, sets = Rules(space.pegs, space.colors, space.repeats), LiveSets()
    history = ()
    for (guess, answer), parts in zip(turns, enumeration.count_parts_plainly(space, turns).parts, strict=True):
        if not parts:
            break  # the turns before contradict each other, which the game refuses
        assert Position(rules, history, sets).parts(guess) == parts
        history = (*history, Turn(guess, Feedback(*answer)))


@given(spaces(), st.sampled_from([1, 3, 50, 10**6]))
def test_code_blocks_list_codes_in_order(space, block_size):
    blocks = list(enumeration.code_blocks(space, block_size))
    codes = [tuple(code) for block in blocks for code in block.T.tolist()]
    assert codes == list(space.codes())
    assert len(codes) == space.size
    assert max(block.shape[1] for block in blocks) <= block_size


@pytest.mark.parametrize("rules", ["6x10", "5x20", "16x2", "3x34", "8x8-distinct", "4x34-distinct"])
def test_code_blocks_are_bounded(rules):
    space = space_of(rules)
    sizes = [block.shape[1] for block in enumeration.code_blocks(space)]
    assert max(sizes) <= enumeration.BLOCK
    assert sum(sizes) == space.size


def test_block_parts_of_sixteen_pegs():
    space = space_of("16x2")
    secret, guess = (0, 1) * 8, (0,) * 10 + (1,) * 6
    counted = enumeration.count_parts(space, [MarkedGuess(guess, marks_of(guess, secret))])
    assert sum(counted.parts[0].values()) == 2**16
    assert counted.parts[0][16, 0] == 1
    assert enumeration.marks_numbers(np.array([secret], dtype=np.uint8).T, guess).tolist() == [8 * 17 + 6]


def test_plain_parts_of_classic():
    counted = enumeration.count_parts_plainly(space_of("4x6"), [MarkedGuess((0, 0, 1, 1), Marks(0, 0))])
    assert counted.parts[0][0, 0] == 256
    assert max(counted.parts[0].values()) == 256
    assert len(counted.parts[0]) == 13  # 1,3 needs a guess with another color


APART = """
import sys
import evilpegs_clients.verification.independent.check
print(*sorted(name for name in sys.modules if name.split(".")[0] in {"evilpegs_game", "evilpegs_protocol", "numba"}))
"""


@pytest.mark.parametrize(("before", "shared"), [("", False), ("import evilpegs_game.codemakers.codemaker", True)])
def test_independent_check_imports_no_codemaker(before, shared):
    done = subprocess.run(
        [sys.executable, "-c", before + APART], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert bool(done.stdout.split()) == shared
