import re

import numpy as np
import pytest

from evilpegs_clients.strategies.strategy import StrategyError, seeded_choice
from evilpegs_game.codes import check_code
from evilpegs_game.errors import GameError, IllegalCodeError
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules


class Always:
    name = "always"
    uses_rng = False

    def __init__(self, value):
        self.value = value

    def choose(self, position, rng):
        return self.value


def choice(value, rules="4x6"):
    return seeded_choice(Always(value))(Position(Rules.parse(rules), (), LiveSets()))


def test_player_accepts_integer_sequences():
    for value in [(0, 1, 2, 3), [0, 1, 2, 3], np.arange(4, dtype=np.uint8)]:
        assert choice(value) == (0, 1, 2, 3)
        assert {type(color) for color in choice(value)} == {int}


@pytest.mark.parametrize(
    "value",
    [None, "1122", 1122, (), (0, 0, 1), (0, 0, 1, 1, 1), (0, 0, 1, 6), (0, 0, 1, -1), (0.0, 0, 1, 1), (2**63,) * 4,
     [[0, 0, 1, 1]], {"code": "1122"}, "x" * 10_000],
)  # fmt: skip
def test_player_refuses_other_values(value):
    with pytest.raises(StrategyError, match=r"\balways\b.*\b4x6\b") as caught:
        choice(value)
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "rules", "quoted"),
    [
        ((0, 1, 2), "4x6", "'123'"),
        ((0, 0, 1, -1), "4x6", "'112?'"),
        ((0, 1, 2, 2), "4x10-distinct", "'1233'"),
    ],
)
def test_player_refusal_quotes_check_code(value, rules, quoted):
    with pytest.raises(IllegalCodeError) as illegal:
        check_code(value, Rules.parse(rules))
    with pytest.raises(StrategyError, match=re.escape(str(illegal.value))) as caught:
        choice(value, rules)
    assert [text for text in ("always", str(value), rules, quoted) if text not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("value", "rules", "told"),
    [
        ("1122", "4x6", "the string '1122'; return a tuple of color indices from 0, such as (0, 0, 1, 1) on 4x6"),
        ("3124", "4x10-distinct", "the string '3124'; return a tuple of color indices from 0, such as (2, 0, 1, 3)"),
        ("red", "3x2", "the string 'red'; return a tuple of color indices from 0, such as (0, 0, 1)"),
        ("", "5x2", "the string ''; return a tuple of color indices from 0, such as (0, 0, 1, 1, 1)"),
        (None, "3x6-distinct", "None; return a tuple of color indices from 0, such as (0, 1, 2)"),
    ],
)
def test_value_that_is_no_tuple_is_answered_with_example(value, rules, told):
    with pytest.raises(StrategyError, match="^" + re.escape(f"strategy always: choose returned {told}")):
        choice(value, rules)


def test_strategy_error_is_game_error():
    assert issubclass(StrategyError, GameError)
