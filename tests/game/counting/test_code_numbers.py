"""Codes as numbers: sorted, and split into columns of digits, up to the largest words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.counting.code_numbers import (
    codes_fit_word,
    combine_lists,
    extend_lists,
    numbers_to_columns,
    sort_numbers,
)
from evilpegs_game.rules import Rules

SHAPES = [Rules(1, 1), Rules(1, 34), Rules(4, 6), Rules(12, 14), Rules(12, 34), Rules(16, 16), Rules(16, 2)]


def digits(number, rules):
    code = []
    for _ in range(rules.pegs):
        number, color = divmod(number, rules.colors)
        code.append(color)
    return code[::-1]


@given(st.data(), st.sampled_from(SHAPES))
def test_numbers_to_columns_holds_digits(data, rules):
    highest = rules.colors**rules.pegs - 1
    numbers = [0, highest, *data.draw(st.lists(st.integers(0, highest), max_size=4))]
    columns = numbers_to_columns(np.array(numbers, np.uint64), rules.pegs, rules.colors)
    assert columns.T.tolist() == [digits(number, rules) for number in numbers]


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20), st.sampled_from([8, 20, 33, 64]))
def test_sort_numbers_sorts(numbers, bits):
    numbers = [number >> (64 - bits) for number in numbers]
    assert sort_numbers(np.array(numbers, np.uint64), bits).tolist() == sorted(numbers)


def test_extend_and_combine_lists():
    first, numbers = np.array([0, 1, 3]), np.array([1, 2, 3], np.uint64)
    edges = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 2]], np.int32)
    first, numbers = extend_lists(first, numbers, edges, 3, np.array([10, 20], np.uint64))
    assert first.tolist() == [0, 3, 3, 5]
    assert numbers.tolist() == [12, 13, 21, 22, 23]
    other_first, others = np.array([0, 2]), np.array([100, 200], np.uint64)
    codes = combine_lists(np.array([2]), np.array([0]), first, numbers, other_first, others)
    assert codes.tolist() == [122, 222, 123, 223]


@pytest.mark.parametrize(("text", "fits"), [("16x16", True), ("12x34", True), ("13x34-distinct", False)])
def test_codes_fit_word_up_to_64_bits(text, fits):
    assert codes_fit_word(Rules.parse(text)) is fits
