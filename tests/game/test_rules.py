import math
from itertools import permutations, product

import pytest

from evilpegs_game.errors import GameError, MalformedError
from evilpegs_game.rules import MAX_COLORS, MAX_PEGS, PRESETS, Rules

EVERY_RULES = [
    Rules(pegs, colors, repeats)
    for pegs in range(1, MAX_PEGS + 1)
    for colors in range(1, MAX_COLORS + 1)
    for repeats in (True, False)
    if repeats or colors >= pegs
]


def test_text_round_trips_for_all_rules_there_are():
    assert [Rules.parse(str(rules)) for rules in EVERY_RULES] == EVERY_RULES


def test_repr_can_be_pasted():
    rules = Rules(4, 10, repeats=False)
    assert eval(repr(rules)) == rules


@pytest.mark.parametrize(("name", "text"), PRESETS.items())
def test_presets_are_names_of_rules(name, text):
    assert str(Rules.parse(name)) == text


def test_size_counts_the_codes():
    for pegs, colors in product(range(1, 5), range(1, 5)):
        assert Rules(pegs, colors).size == len(list(product(range(colors), repeat=pegs)))
        if colors >= pegs:
            assert Rules(pegs, colors, repeats=False).size == len(list(permutations(range(colors), pegs)))


def test_size_is_exact_at_the_bounds():
    assert Rules(16, 34).size == 34**16
    assert Rules(16, 34, repeats=False).size == math.factorial(34) // math.factorial(18)


@pytest.mark.parametrize("wrong", [0, -1, -(10**9), 10**9, 2**63, -(2**63), 17])
def test_pegs_out_of_bounds(wrong):
    with pytest.raises(MalformedError, match="pegs must be 1 to 16"):
        Rules(wrong, 6)


@pytest.mark.parametrize("wrong", [0, -1, -(10**9), 10**9, 2**63, -(2**63), 35])
def test_colors_out_of_bounds(wrong):
    with pytest.raises(MalformedError, match="colors must be 1 to 34"):
        Rules(4, wrong)


def test_too_few_colors_for_distinct_pegs():
    with pytest.raises(MalformedError, match="4 distinct pegs need at least 4 colors, not 3"):
        Rules(4, 3, repeats=False)


@pytest.mark.parametrize(
    "text",
    ["", "x", "4x", "x6", "4 x 6", "4x6 ", "4X6", "-4x6", "0x6", "4x0", "17x6", "4x35", "999999999x6", "4x6-other",
     "4x3-distinct", "٤x٦", "4x6\n", "4.0x6", "clasic"],
)  # fmt: skip
def test_texts_that_are_not_rules(text):
    with pytest.raises(GameError) as caught:
        Rules.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("9999999999x6", "pegs must be 1 to 16, not so many"),
        ("100x6", "pegs must be 1 to 16, not 100"),
        ("4x999-distinct", "colors must be 1 to 34, not 999"),
        ("9" * 41 + "x6", "not rules"),
        ("004x6", "not rules"),
    ],
)
def test_numbers_that_are_too_large_are_told_their_bounds(text, says):
    with pytest.raises(MalformedError, match=says):
        Rules.parse(text)


HUGE = [0, -1, 10**9, 10**18, 2**63, 2**64, -(2**63), 10**1000]


@pytest.mark.parametrize("repeats", [True, False])
@pytest.mark.parametrize("wrong", HUGE)
def test_bounds_are_checked_before_any_power_is_taken(wrong, repeats, peak_of):
    """colors**pegs of such numbers would not fit this or any memory."""
    for pegs, colors in [(wrong, 6), (4, wrong), (wrong, wrong), (MAX_PEGS, wrong), (wrong, MAX_COLORS)]:
        with peak_of(100_000), pytest.raises(MalformedError, match="must be 1 to"):
            Rules(pegs, colors, repeats)


@pytest.mark.parametrize("wrong", HUGE)
def test_texts_are_bounded_before_they_are_numbers(wrong, peak_of):
    for text in [f"{wrong}x6", f"4x{wrong}", f"{wrong}x{wrong}", f"{wrong}x{wrong}-distinct"]:
        with peak_of(100_000), pytest.raises(MalformedError):
            Rules.parse(text)


def test_a_text_without_end_is_not_copied(peak_of):
    text = "9" * 10_000_000
    with peak_of(100_000), pytest.raises(MalformedError):
        Rules.parse(text)
