import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.errors import MalformedError
from evilpegs_game.solved import Bounds, SolvedPositions

KEYS = [bytes([number]) * 16 for number in range(4)]


def filled():
    solved = SolvedPositions()
    solved.learn(KEYS[2], at_least=3)
    solved.learn(KEYS[0], at_most=4)
    return solved


def test_nothing_is_known_at_first():
    assert SolvedPositions().bounds(KEYS[0]) == Bounds(1, 255)
    assert not SolvedPositions().changed


def test_bounds_only_grow_tighter():
    solved = filled()
    for at_least, at_most in [(2, 9), (1, 5), (5, 255)]:
        solved.learn(KEYS[2], at_least, at_most)
    assert solved.bounds(KEYS[2]) == Bounds(5, 5)
    assert solved.changed
    assert len(solved) == 2


def test_the_bytes_are_as_written_down():
    data = filled().to_bytes()
    head = b"evilpegs solved positions 1\n" + (2).to_bytes(8, "little")
    assert data[:-32] == head + KEYS[0] + bytes([1, 4]) + KEYS[2] + bytes([3, 255])


@given(st.dictionaries(st.binary(min_size=16, max_size=16), st.tuples(st.integers(1, 9), st.integers(9, 255))))
def test_they_come_back_as_they_went(entries):
    solved = SolvedPositions()
    for key, bounds in entries.items():
        solved.learn(key, *bounds)
    again = SolvedPositions.from_bytes(solved.to_bytes())
    assert list(again) == sorted((key, Bounds(*bounds)) for key, bounds in entries.items())
    assert not again.changed
    assert again.to_bytes() == solved.to_bytes()


def test_any_flipped_bit_and_any_cut_is_found():
    data = filled().to_bytes()
    for place in range(len(data)):
        with pytest.raises(MalformedError):
            SolvedPositions.from_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(MalformedError):
            SolvedPositions.from_bytes(data[:place])
    with pytest.raises(MalformedError, match="damaged"):
        SolvedPositions.from_bytes(data + b"\0")


@pytest.mark.parametrize("foreign", [b"", b"SQLite format 3\0" * 10, b"evilpegs solved positions 2\n" + bytes(40)])
def test_what_is_foreign_is_not_believed(foreign):
    with pytest.raises(MalformedError, match="not solved positions of this version"):
        SolvedPositions.from_bytes(foreign)


def test_more_than_fit_are_refused():
    with pytest.raises(MalformedError, match="2 solved positions are over the bound of 1"):
        SolvedPositions.from_bytes(filled().to_bytes(), max_entries=1)


def test_when_full_it_is_emptied():
    solved = SolvedPositions(max_entries=2)
    for key in KEYS[:3]:
        solved.learn(key, at_least=2)
    assert list(solved) == [(KEYS[2], Bounds(2, 255))]
    solved.learn(KEYS[0], at_least=2)
    solved.learn(KEYS[0], at_most=7)
    assert len(solved) == 2
