import re
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
from evilpegs_game.errors import GameError, IllegalCodeError, MalformedError, TooLargeError, quoted
from evilpegs_game.rules import MAX_COLORS, Rules
from support.messages import values_in

CLASSIC = Rules(4, 6)
DISTINCT = Rules(4, 10, repeats=False)
SMALL = [Rules(1, 1), Rules(1, 5), Rules(3, 3), Rules(4, 2), Rules(3, 5, repeats=False), Rules(4, 4, repeats=False)]


def plain_codes(rules):
    colors = range(rules.colors)
    return list(product(colors, repeat=rules.pegs) if rules.repeats else permutations(colors, rules.pegs))


def test_symbols_cover_every_color():
    assert len(set(SYMBOLS)) == MAX_COLORS
    assert not set(SYMBOLS) & set("IO")


@given(st.lists(st.integers(0, MAX_COLORS - 1), min_size=1, max_size=16))
def test_parse_code_round_trips(colors):
    code = tuple(colors)
    rules = Rules(len(code), MAX_COLORS)
    assert parse_code(format_code(code), rules) == code
    assert parse_code(format_code(code).lower(), rules) == code


def test_parse_code_documented_examples():
    assert parse_code("1122", CLASSIC) == (0, 0, 1, 1)
    assert parse_code("1230", DISTINCT) == (0, 1, 2, 9)


@pytest.mark.parametrize("text", ["11!2", "11 2", "I111", "O111", "11\n1", "１１１１"])
def test_parse_code_refuses_unknown_symbols(text):
    with pytest.raises(MalformedError, match=re.escape(repr(text))):
        parse_code(text, CLASSIC)


@pytest.mark.parametrize("letter", "ſıß")
def test_parse_code_refuses_letters_that_become_symbols(letter):
    """Such as the long s, whose upper case is S."""
    with pytest.raises(MalformedError):
        parse_code(letter, Rules(1, MAX_COLORS))


@pytest.mark.parametrize(
    ("text", "rules", "broken", "values"),
    [
        ("", CLASSIC, "pegs", {"0", "4"}),
        ("112", CLASSIC, "pegs", {"112", "3", "4"}),
        ("1" * 1000, CLASSIC, "pegs", {"1" * 40, "1000", "4"}),
        ("1127", CLASSIC, "colors", {"1127", "123456"}),
        ("1123", DISTINCT, "repeats", {"1123"}),
    ],
)
def test_parse_code_names_broken_rule(text, rules, broken, values):
    with pytest.raises(IllegalCodeError, match=re.escape(quoted(text))) as caught:
        parse_code(text, rules)
    assert caught.value.rule == broken
    assert {str(rules), *values} <= values_in(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_all_codes_come_in_code_order(rules):
    columns = all_codes(rules)
    assert columns.shape == (rules.pegs, rules.size)
    assert columns.dtype == np.uint8
    assert columns.flags.c_contiguous
    codes = [column_code(columns, index) for index in range(rules.size)]
    assert codes == plain_codes(rules)
    assert [code_at(index, rules) for index in range(rules.size)] == codes
    assert all(earlier < later for earlier, later in combinations(codes, 2))


def test_code_at_works_beyond_array_size():
    rules = Rules(16, 34)
    assert code_at(0, rules) == (0,) * 16
    assert code_at(rules.size - 1, rules) == (33,) * 16
    assert code_at(34**15, rules) == (1,) + (0,) * 15


@pytest.mark.parametrize("index", [-1, 1296, 2**63, -(2**63)])
def test_code_at_refuses_index_outside(index):
    with pytest.raises(IndexError):
        code_at(index, CLASSIC)


@pytest.mark.parametrize("rules", [Rules(12, 14), Rules(16, 34), Rules(16, 34, repeats=False)], ids=str)
def test_all_codes_refuses_memory_over_bound(rules):
    with pytest.raises(TooLargeError, match=f"{rules.pegs * rules.size:,}") as caught:
        all_codes(rules)
    assert caught.value.needed == rules.pegs * rules.size > caught.value.bound


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 33)] * 5), min_size=1))
def test_to_columns_round_trips(codes):
    columns = to_columns(codes)
    assert columns.flags.c_contiguous
    read = [column_code(columns, index) for index in range(len(codes))]
    assert read == codes
    assert all(type(color) is int for code in read for color in code)


def test_code_errors_are_game_errors():
    assert issubclass(IllegalCodeError, GameError)
    assert issubclass(MalformedError, GameError)
    assert not issubclass(IllegalCodeError, MalformedError)


@pytest.mark.parametrize(("colors", "hinted"), [(9, False), (10, True)])
def test_letter_hint_needs_tenth_color(colors, hinted):
    with pytest.raises(MalformedError) as caught:
        parse_code("foo1", Rules(4, colors))
    assert ("the tenth color is 0" in str(caught.value)) == hinted
