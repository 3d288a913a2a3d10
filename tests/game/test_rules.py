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


def test_rules_text_round_trips():
    assert [Rules.parse(str(rules)) for rules in EVERY_RULES] == EVERY_RULES


def test_rules_repr_can_be_pasted():
    rules = Rules(4, 10, repeats=False)
    assert eval(repr(rules)) == rules


@pytest.mark.parametrize(("name", "text"), PRESETS.items())
def test_parse_rules_reads_presets(name, text):
    assert str(Rules.parse(name)) == text


def test_rules_size_counts_codes():
    for pegs, colors in product(range(1, 5), range(1, 5)):
        assert Rules(pegs, colors).size == len(list(product(range(colors), repeat=pegs)))
        if colors >= pegs:
            assert Rules(pegs, colors, repeats=False).size == len(list(permutations(range(colors), pegs)))


def test_rules_size_is_exact_at_bounds():
    assert Rules(16, 34).size == 34**16
    assert Rules(16, 34, repeats=False).size == math.factorial(34) // math.factorial(18)


@pytest.mark.parametrize("wrong", [0, -1, -(10**9), 10**9, 2**63, -(2**63), 17])
def test_rules_refuse_pegs_out_of_bounds(wrong):
    with pytest.raises(MalformedError, match=r"pegs.*\b16\b"):
        Rules(wrong, 6)


@pytest.mark.parametrize("wrong", [0, -1, -(10**9), 10**9, 2**63, -(2**63), 35])
def test_rules_refuse_colors_out_of_bounds(wrong):
    with pytest.raises(MalformedError, match=r"colors.*\b34\b"):
        Rules(4, wrong)


def test_rules_refuse_too_few_distinct_colors():
    with pytest.raises(MalformedError, match=r"\b4\b.*\b3$"):
        Rules(4, 3, repeats=False)


@pytest.mark.parametrize(
    "text",
    ["", "x", "4x", "x6", "4 x 6", "4x6 ", "4X6", "-4x6", "0x6", "4x0", "17x6", "4x35", "999999999x6", "4x6-other",
     "4x3-distinct", "٤x٦", "4x6\n", "4.0x6", "clasic"],
)  # fmt: skip
def test_parse_rules_refuses_other_texts(text):
    with pytest.raises(GameError) as caught:
        Rules.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("9999999999x6", r"^(?!.*9999).*pegs.*\b16\b"),
        ("100x6", r"pegs.*\b16\b.*\b100$"),
        ("4x999-distinct", r"colors.*\b34\b.*\b999$"),
        ("9" * 41 + "x6", f"'{'9' * 40}...'"),
        ("004x6", "'004x6'"),
    ],
)
def test_parse_rules_names_bound_of_large_numbers(text, named):
    with pytest.raises(MalformedError, match=named):
        Rules.parse(text)


HUGE = [0, -1, 10**9, 10**18, 2**63, 2**64, -(2**63), 10**1000]


@pytest.mark.parametrize("repeats", [True, False])
@pytest.mark.parametrize("wrong", HUGE)
def test_rules_check_bounds_before_taking_power(wrong, repeats, peak_of):
    """The power colors**pegs of these numbers would fit no memory."""
    for pegs, colors in [(wrong, 6), (4, wrong), (wrong, wrong), (MAX_PEGS, wrong), (wrong, MAX_COLORS)]:
        with peak_of(100_000), pytest.raises(MalformedError, match=r"\b(16|34)\b"):
            Rules(pegs, colors, repeats)


@pytest.mark.parametrize("wrong", HUGE)
def test_parse_rules_bounds_text_before_numbers(wrong, peak_of):
    for text in [f"{wrong}x6", f"4x{wrong}", f"{wrong}x{wrong}", f"{wrong}x{wrong}-distinct"]:
        with peak_of(100_000), pytest.raises(MalformedError):
            Rules.parse(text)


def test_parse_rules_does_not_copy_long_text(peak_of):
    text = "9" * 10_000_000
    with peak_of(100_000), pytest.raises(MalformedError):
        Rules.parse(text)
