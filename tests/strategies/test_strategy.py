import re

import numpy as np
import pytest

from evilpegs_clients.strategies.strategy import StrategyError, player, seeded_rng
from evilpegs_game.candidates import LiveSets, Position, Turn
from evilpegs_game.errors import GameError
from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules


class Always:
    name = "always"
    uses_rng = False

    def __init__(self, value):
        self.value = value

    def choose(self, position, rng):
        return self.value


def choice(value, rules="4x6"):
    return player(Always(value))(Position(Rules.parse(rules), (), LiveSets()))


def test_whatever_counts_colors_is_taken_as_a_code():
    for value in [(0, 1, 2, 3), [0, 1, 2, 3], np.arange(4, dtype=np.uint8)]:
        assert choice(value) == (0, 1, 2, 3)
        assert {type(color) for color in choice(value)} == {int}


@pytest.mark.parametrize(
    "value",
    [None, "1122", 1122, (), (0, 0, 1), (0, 0, 1, 1, 1), (0, 0, 1, 6), (0, 0, 1, -1), (0.0, 0, 1, 1), (2**63,) * 4,
     [[0, 0, 1, 1]], {"code": "1122"}, "x" * 10_000],
)  # fmt: skip
def test_anything_else_is_an_error_that_names_the_strategy(value):
    with pytest.raises(StrategyError, match=r"strategy always chose .* not a code of 4x6") as caught:
        choice(value)
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "rules", "why"),
    [
        ((0, 1, 2), "4x6", "'123' has 3 pegs; 4x6 needs 4"),
        ((0, 0, 1, -1), "4x6", "'112?' has a color that 4x6 lacks; use 123456"),
        ((0, 1, 2, 2), "4x10-distinct", "'1233' repeats a color; 4x10-distinct allows each once"),
    ],
)
def test_why_it_is_no_code_is_said_as_to_everyone(value, rules, why):
    with pytest.raises(StrategyError, match=re.escape(f"{value}, not a code of {rules}: {why}")):
        choice(value, rules)


def test_it_is_a_game_error():
    assert issubclass(StrategyError, GameError)


def test_randomness_depends_on_seed_and_history_only():
    history = (Turn((0, 0, 1, 1), Feedback(1, 0)),)
    drawn = seeded_rng(1, history).random()
    assert seeded_rng(1, history).random() == drawn
    others = [(2, history), (1, ()), (1, (Turn((0, 0, 1, 1), Feedback(0, 1)),))]
    assert drawn not in [seeded_rng(seed, other).random() for seed, other in others]


def test_randomness_is_the_same_on_every_machine():
    assert seeded_rng(0, ()).randrange(10**9) == 574_861_610
