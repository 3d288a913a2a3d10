from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import (
    SYMBOLS,
    all_codes,
    code_at,
    column_code,
    format_code,
    parse_code,
    to_columns,
)
from evilpegs_game.errors import GameError, IllegalCodeError, MalformedError, TooLargeError
from evilpegs_game.rules import MAX_COLORS, Rules

CLASSIC = Rules(4, 6)
DISTINCT = Rules(4, 10, repeats=False)
SMALL = [Rules(1, 1), Rules(1, 5), Rules(3, 3), Rules(4, 2), Rules(3, 5, repeats=False), Rules(4, 4, repeats=False)]


def plain_codes(rules):
    colors = range(rules.colors)
    return list(product(colors, repeat=rules.pegs) if rules.repeats else permutations(colors, rules.pegs))


def test_a_symbol_for_every_color():
    assert len(set(SYMBOLS)) == MAX_COLORS
    assert not set(SYMBOLS) & set("IO")


@given(st.lists(st.integers(0, MAX_COLORS - 1), min_size=1, max_size=16))
def test_text_round_trips(colors):
    code = tuple(colors)
    rules = Rules(len(code), MAX_COLORS)
    assert parse_code(format_code(code), rules) == code
    assert parse_code(format_code(code).lower(), rules) == code


def test_text_of_the_documentation():
    assert parse_code("1122", CLASSIC) == (0, 0, 1, 1)
    assert parse_code("1230", DISTINCT) == (0, 1, 2, 9)


@pytest.mark.parametrize("text", ["11!2", "11 2", "I111", "O111", "11\n1", "１１１１"])
def test_no_symbol_of_any_color_is_malformed(text):
    with pytest.raises(MalformedError, match="not a code"):
        parse_code(text, CLASSIC)


@pytest.mark.parametrize(
    ("text", "rules", "why"),
    [
        ("", CLASSIC, "has 0 pegs"),
        ("112", CLASSIC, "has 3 pegs"),
        ("1" * 1000, CLASSIC, "has 1000 pegs"),
        ("1127", CLASSIC, "lacks"),
        ("1123", DISTINCT, "repeats"),
    ],
)
def test_well_formed_but_against_the_rules(text, rules, why):
    with pytest.raises(IllegalCodeError, match=why) as caught:
        parse_code(text, rules)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_all_codes_are_all_codes_in_order(rules):
    columns = all_codes(rules)
    assert columns.shape == (rules.pegs, rules.size)
    assert columns.dtype == np.uint8
    assert columns.flags.c_contiguous
    codes = [column_code(columns, index) for index in range(rules.size)]
    assert codes == plain_codes(rules)
    assert [code_at(index, rules) for index in range(rules.size)] == codes
    assert all(earlier < later for earlier, later in combinations(codes, 2))


def test_code_at_works_where_no_array_would():
    rules = Rules(16, 34)
    assert code_at(0, rules) == (0,) * 16
    assert code_at(rules.size - 1, rules) == (33,) * 16
    assert code_at(34**15, rules) == (1,) + (0,) * 15


@pytest.mark.parametrize("index", [-1, 1296, 2**63, -(2**63)])
def test_code_at_outside(index):
    with pytest.raises(IndexError):
        code_at(index, CLASSIC)


@pytest.mark.parametrize("rules", [Rules(12, 14), Rules(16, 34), Rules(16, 34, repeats=False)], ids=str)
def test_spaces_too_large_are_refused_with_the_number(rules):
    with pytest.raises(TooLargeError, match=f"{rules.pegs * rules.size:,} bytes"):
        all_codes(rules)


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 33)] * 5), min_size=1))
def test_columns_round_trip(codes):
    columns = to_columns(codes)
    assert columns.flags.c_contiguous
    read = [column_code(columns, index) for index in range(len(codes))]
    assert read == codes
    assert all(type(color) is int for code in read for color in code)


def test_every_error_is_the_callers():
    assert issubclass(IllegalCodeError, GameError)
    assert issubclass(MalformedError, GameError)
    assert not issubclass(IllegalCodeError, MalformedError)
