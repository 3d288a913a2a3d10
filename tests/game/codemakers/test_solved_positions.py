import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.codemakers.solved_positions import GuessBounds, SolvedPositions
from evilpegs_game.errors import DamagedError, ForeignError, MalformedError

KEYS = [bytes([number]) * 16 for number in range(4)]


def filled():
    solved = SolvedPositions()
    solved.tighten(KEYS[2], at_least=3)
    solved.tighten(KEYS[0], at_most=4)
    return solved


def test_solved_positions_know_nothing_at_first():
    assert SolvedPositions().bounds(KEYS[0]) == GuessBounds(1, 255)
    assert not SolvedPositions().changed


def test_solved_positions_keep_tightest_bounds():
    solved = filled()
    for at_least, at_most in [(2, 9), (1, 5), (5, 255)]:
        solved.tighten(KEYS[2], at_least, at_most)
    assert solved.bounds(KEYS[2]) == GuessBounds(5, 5)
    assert solved.changed
    assert len(solved) == 2


def test_solved_positions_have_documented_bytes():
    data = filled().to_bytes()
    head = b"evilpegs solved positions 1\n" + (2).to_bytes(8, "little")
    assert data[:-32] == head + KEYS[0] + bytes([1, 4]) + KEYS[2] + bytes([3, 255])


@given(st.dictionaries(st.binary(min_size=16, max_size=16), st.tuples(st.integers(1, 9), st.integers(9, 255))))
def test_solved_positions_round_trip(entries):
    solved = SolvedPositions()
    for key, bounds in entries.items():
        solved.tighten(key, *bounds)
    again = SolvedPositions.from_bytes(solved.to_bytes())
    assert list(again) == sorted((key, GuessBounds(*bounds)) for key, bounds in entries.items())
    assert not again.changed
    assert again.to_bytes() == solved.to_bytes()


def test_solved_positions_refuse_flipped_or_cut_bytes():
    data = filled().to_bytes()
    for index in range(len(data)):
        with pytest.raises(MalformedError):
            SolvedPositions.from_bytes(data[:index] + bytes([data[index] ^ 1]) + data[index + 1 :])
        with pytest.raises(MalformedError):
            SolvedPositions.from_bytes(data[:index])
    with pytest.raises(DamagedError):
        SolvedPositions.from_bytes(data + b"\0")


@pytest.mark.parametrize("foreign", [b"", b"SQLite format 3\0" * 10, b"evilpegs solved positions 2\n" + bytes(40)])
def test_solved_positions_refuse_foreign_bytes(foreign):
    with pytest.raises(ForeignError):
        SolvedPositions.from_bytes(foreign)


def test_solved_positions_refuse_more_than_fit():
    with pytest.raises(MalformedError, match=r"^2\b.*\b1$"):
        SolvedPositions.from_bytes(filled().to_bytes(), max_entries=1)


def test_solved_positions_are_emptied_when_full():
    solved = SolvedPositions(max_entries=2)
    for key in KEYS[:3]:
        solved.tighten(key, at_least=2)
    assert list(solved) == [(KEYS[2], GuessBounds(2, 255))]
    solved.tighten(KEYS[0], at_least=2)
    solved.tighten(KEYS[0], at_most=7)
    assert len(solved) == 2
