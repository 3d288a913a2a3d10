"""The count stays within the memory it was given; what does not fit is counted in parts, or refused at once."""

from random import Random

import numba
import pytest

from evilpegs_game.counting import fills, parts
from evilpegs_game.counting.frame import Frame
from evilpegs_game.counting.parts import count_parts
from evilpegs_game.errors import TooLargeError
from evilpegs_game.rules import Rules
from support.evil_games import evil_game, guess_of

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")


@pytest.fixture
def divisions(monkeypatch):
    """Every table that was divided, by its number of rows."""
    seen = []
    divided = parts._divided

    def spy(table):
        seen.append(len(table.rows))
        return divided(table)

    monkeypatch.setattr(parts, "_divided", spy)
    return seen


def dearest_turn(rules, sort, seed, turns=4):
    rng = Random(seed)
    played = list(evil_game(rules, [guess_of(sort, rules, rng) for _ in range(turns)]))
    return max(played, key=lambda turn: turn[2].work)


def least_bytes_of(rules, history, guess):
    """The bound that the refusal of a smaller one names."""
    with pytest.raises(TooLargeError) as caught:
        count_parts(rules, history, guess, 0)
    return int(str(caught.value).split("at least ")[1].split()[0].replace(",", ""))


def tight_bounds(rules, history, guess, peak_of):
    """A half, a quarter and an eighth of the memory that the count takes when it may."""
    with peak_of(parts.DEFAULT_BYTES) as alone:
        count_parts(rules, history, guess)
    least = least_bytes_of(rules, history, guess)
    return [max(least, alone.peak // share) for share in (2, 4, 8)]


@compiled
@pytest.mark.parametrize(("name", "seed"), [("8x10", 5), ("8x8", 3)])
def test_a_count_that_divides_gives_the_same_and_stays_within_its_bound(name, seed, divisions, peak_of):
    rules = Rules.parse(name)
    history, guess, whole, _ = dearest_turn(rules, "paired", seed)
    bounds = tight_bounds(rules, history, guess, peak_of)
    assert not divisions
    for bound in bounds:
        with peak_of(bound):
            assert count_parts(rules, history, guess, bound).sizes == whole.sizes
    assert divisions


@compiled
def test_a_count_that_divides_again_and_again_stays_within_the_least_there_is(divisions, peak_of):
    rules = Rules.parse("8x8")
    history, guess, whole, _ = dearest_turn(rules, "paired", seed=2)
    least = least_bytes_of(rules, history, guess)
    with peak_of(least):
        assert count_parts(rules, history, guess, least).sizes == whole.sizes
    assert len(divisions) > 10


def test_too_little_memory_for_the_fills_is_refused_before_it_is_taken(peak_of):
    with peak_of(1 << 20), pytest.raises(TooLargeError):
        count_parts(Rules.parse("16x23-distinct"), (), tuple(range(16)), 1000)


def test_tiny_tables_divide_as_plain_python_too(divisions, monkeypatch):
    rules, rng = Rules(5, 7), Random(2)
    monkeypatch.setattr(parts, "FEW_ROWS", 0)
    for history, guess, whole, _ in list(evil_game(rules, [guess_of("paired", rules, rng) for _ in range(3)])):
        with monkeypatch.context() as patch:
            patch.setattr(parts, "most_rows", lambda fills, *_: fills)
            assert count_parts(rules, history, guess).sizes == whole.sizes
    assert divisions


@pytest.mark.parametrize("name", ["4x6", "8x10", "16x2", "1x1"])
def test_too_little_memory_is_refused_before_it_is_taken(name, peak_of):
    rules = Rules.parse(name)
    guess = guess_of("distinct", rules, Random(1))
    with peak_of(1 << 20), pytest.raises(TooLargeError, match=r"takes at least [0-9,]+ bytes; the bound is 1,000"):
        count_parts(rules, (), guess, 1000)


def test_the_least_memory_named_is_enough():
    rules, guess = Rules(4, 6), (0, 0, 1, 2)
    least = least_bytes_of(rules, (), guess)
    assert sum(count_parts(rules, (), guess, least).sizes) == rules.size
    with pytest.raises(TooLargeError):
        count_parts(rules, (), guess, least - 1)


def test_ways_to_fill_are_kept_for_the_next_count_where_they_are_few():
    few, again, many = (Frame(Rules(pegs, 3), (), None, apart=True) for pegs in (12, 12, 13))
    assert few.layout.fills is again.layout.fills
    assert len(few.layout.fills.pegs) == fills.SHARED_FILLS
    before = fills._shared.cache_info().currsize
    assert Frame(Rules(13, 3), (), None, apart=True).layout.fills is not many.layout.fills
    assert fills._shared.cache_info().currsize == before
