"""First guesses by inclusion and exclusion, against the plain definition and against the count by colors."""

import math
from itertools import permutations, product

import numba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.counting.first_guess import first_part_sizes
from evilpegs_game.counting.part_counts import count_parts
from evilpegs_game.counting.problem import MAX_COUNT
from evilpegs_game.feedback import Feedback, feedbacks
from evilpegs_game.rules import Rules
from support.examples import share
from support.plain_partition import partition_counts

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")

SMALL = [Rules(4, 6), Rules(3, 4), Rules(5, 3), Rules(1, 1), Rules(2, 9), Rules(4, 6, repeats=False), Rules(6, 2)]
LARGE = [Rules(6, 10), Rules(8, 10), Rules(9, 12, repeats=False)]


def some_guess(rules):
    colors = st.integers(0, rules.colors - 1)
    return st.lists(colors, min_size=rules.pegs, max_size=rules.pegs, unique=not rules.repeats).map(tuple)


@given(st.data())
def test_first_part_sizes_of_small_rules_by_enumeration(data):
    rules = data.draw(st.sampled_from(SMALL))
    guess, colors = data.draw(some_guess(rules)), range(rules.colors)
    codes = product(colors, repeat=rules.pegs) if rules.repeats else permutations(colors, rules.pegs)
    sizes = zip(feedbacks(rules.pegs), first_part_sizes(rules, guess), strict=True)
    assert {answer: size for answer, size in sizes if size} == partition_counts(guess, codes)


@given(st.data())
def test_first_part_sizes_match_count_parts(data):
    rules = data.draw(st.sampled_from(LARGE[:1]))
    guess = data.draw(some_guess(rules))
    assert first_part_sizes(rules, guess) == count_parts(rules, (), guess).sizes


@pytest.mark.parametrize("name", ["10x12", "12x14", "16x15", "16x16", "16x34", "16x23-distinct", "16x34-distinct"])
def test_first_part_sizes_sum_to_all_codes(name):
    rules = Rules.parse(name)
    assert (
        sum(first_part_sizes(rules, tuple(range(rules.pegs)) if rules.colors >= rules.pegs else (0,) * 16))
        == rules.size
    )


def parts_of_distinct_colors(rules):
    """Return the parts of a guess without a repeated color in plain integers, by another formula.

    Some pegs are black. Of the colors of the others, ``hit`` occur, none at its own peg: inclusion and exclusion over
    those that may occur.
    """
    parts = {}
    for black in range(rules.pegs + 1):
        left, others = rules.pegs - black, black + rules.colors - rules.pegs
        for hit in range(left + 1):
            ways = sum(
                (-1) ** (hit - some)
                * math.comb(hit, some)
                * (others + some - 1) ** some
                * (others + some) ** (left - some)
                for some in range(hit + 1)
            )
            if ways:
                parts[Feedback(black, hit)] = math.comb(rules.pegs, black) * math.comb(left, hit) * ways
    return parts


@pytest.mark.parametrize("name", ["4x6", "10x12", "16x16", "16x20", "16x34"])
def test_first_part_sizes_of_distinct_colors_are_exact(name):
    rules = Rules.parse(name)
    sizes = zip(feedbacks(rules.pegs), first_part_sizes(rules, tuple(range(rules.pegs))), strict=True)
    assert {answer: size for answer, size in sizes if size} == parts_of_distinct_colors(rules)


@compiled
@given(st.data())
@settings(max_examples=share(20))
def test_first_part_sizes_match_count_parts_beyond_63_bits(data):
    rules = data.draw(st.sampled_from([Rules(16, 16), Rules(16, 34)]))
    colors = data.draw(st.integers(1, 4))
    guess = tuple(data.draw(st.permutations((list(range(colors)) * 16)[: rules.pegs])))
    sizes = first_part_sizes(rules, guess)
    assert sum(sizes) == rules.size > MAX_COUNT
    assert sizes == count_parts(rules, (), guess).sizes


@compiled
def test_first_part_sizes_match_count_parts_of_distinct_beyond_63_bits():
    """One guess stands for all, by symmetry."""
    rules, guess = Rules(14, 34, repeats=False), tuple(range(14))
    sizes = first_part_sizes(rules, guess)
    assert sum(sizes) == rules.size > MAX_COUNT
    assert sizes == count_parts(rules, (), guess).sizes
