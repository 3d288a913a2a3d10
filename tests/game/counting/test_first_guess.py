"""First guesses by inclusion and exclusion, against the plain definition and against the count by colors."""

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.counting.first_guess import first_part_sizes
from evilpegs_game.counting.part_counts import count_parts
from evilpegs_game.counting.problem import MAX_COUNT
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import feedbacks
from evilpegs_game.rules import Rules
from support.plain_partition import partition_counts

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


@pytest.mark.parametrize("name", ["10x12", "12x14", "16x15", "16x23-distinct"])
def test_first_part_sizes_sum_to_all_codes(name):
    rules = Rules.parse(name)
    assert (
        sum(first_part_sizes(rules, tuple(range(rules.pegs)) if rules.colors >= rules.pegs else (0,) * 16))
        == rules.size
    )


def test_first_part_sizes_refuse_uncountable_rules():
    with pytest.raises(TooLargeError, match=f"{MAX_COUNT:,}"):
        first_part_sizes(Rules(16, 34), (0,) * 16)
