"""A count stays within its memory bound: larger tables are divided, or the count is refused at once."""

from random import Random

import numba
import pytest

from evilpegs_game.counting.layout import SHARED_SUBSETS
from evilpegs_game.counting.part_counts import count_parts
from evilpegs_game.counting.problem import CountingProblem
from evilpegs_game.errors import TooLargeError
from evilpegs_game.rules import Rules
from support.evil_games import evil_game, guess_of
from support.messages import values_in

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")


def costliest_turn(rules, sort, seed, turns=4):
    rng = Random(seed)
    played = list(evil_game(rules, [guess_of(sort, rules, rng) for _ in range(turns)]))
    return max(played, key=lambda turn: turn[2].work)


def least_bytes_of(rules, history, guess):
    """Return the least bound that is not refused, as the refusal of a smaller one states it."""
    with pytest.raises(TooLargeError) as caught:
        count_parts(rules, history, guess, 0)
    count_parts(rules, history, guess, caught.value.needed)  # loads the kernels of a division, which take memory too
    return caught.value.needed


@pytest.mark.full
@compiled
@pytest.mark.parametrize(("name", "sort", "seed"), [("8x10", "paired", 5), ("8x8", "distinct", 2)])
def test_count_parts_divided_stays_within_bound(name, sort, seed, peak_of):
    rules = Rules.parse(name)
    history, guess, whole, _ = costliest_turn(rules, sort, seed)
    divisions = 0
    least = least_bytes_of(rules, history, guess)
    for bound in (least, least * 9 // 8, least * 5 // 4, least * 2):
        with peak_of(bound):
            counted = count_parts(rules, history, guess, bound)
        assert counted.sizes == whole.sizes
        divisions += counted.divisions
    assert divisions


@compiled
def test_count_parts_divides_repeatedly_within_least_memory(peak_of):
    rules = Rules.parse("10x12")
    history, guess, whole, _ = costliest_turn(rules, "paired", seed=1)
    least = least_bytes_of(rules, history, guess)
    with peak_of(least):
        counted = count_parts(rules, history, guess, least)
    assert counted.sizes == whole.sizes
    assert counted.divisions > 10


def test_count_parts_refuses_subsets_before_allocation(peak_of):
    with peak_of(1 << 20), pytest.raises(TooLargeError):
        count_parts(Rules.parse("16x23-distinct"), (), tuple(range(16)), 1000)


def test_count_parts_divides_tiny_tables(monkeypatch):
    rules, rng = Rules(5, 7), Random(2)
    for history, guess, whole, _ in evil_game(rules, [guess_of("paired", rules, rng) for _ in range(3)]):
        with monkeypatch.context() as patched:
            patched.setattr(CountingProblem, "max_rows", lambda problem, _: len(problem.layout.subsets.pegs))
            divided = count_parts(rules, history, guess)
        assert divided.sizes == whole.sizes
        assert divided.divisions


@pytest.mark.parametrize("name", ["4x6", "8x10", "16x2", "1x1"])
def test_count_parts_refuses_small_memory_before_allocation(name, peak_of):
    rules = Rules.parse(name)
    guess = guess_of("distinct", rules, Random(1))
    with peak_of(1 << 20), pytest.raises(TooLargeError) as caught:
        count_parts(rules, (), guess, 1000)
    assert caught.value.needed > caught.value.bound == 1000
    assert {name, f"{caught.value.needed:,}", "1,000"} <= values_in(caught.value)


def test_count_parts_least_memory_suffices():
    rules, guess = Rules(4, 6), (0, 0, 1, 2)
    least = least_bytes_of(rules, (), guess)
    assert sum(count_parts(rules, (), guess, least).sizes) == rules.size
    with pytest.raises(TooLargeError):
        count_parts(rules, (), guess, least - 1)


def test_peg_subsets_shared_only_when_few():
    few, again, many = (CountingProblem(Rules(pegs, 3), (), None, ungrouped=True) for pegs in (12, 12, 13))
    assert few.layout.subsets is again.layout.subsets
    assert len(few.layout.subsets.pegs) == SHARED_SUBSETS
    assert CountingProblem(Rules(13, 3), (), None, ungrouped=True).layout.subsets is not many.layout.subsets
    assert CountingProblem(Rules(12, 3), (), None, ungrouped=True).layout.subsets is few.layout.subsets
