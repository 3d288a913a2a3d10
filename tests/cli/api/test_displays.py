"""What notebooks show: pegs as on the page, tables and bars for light and dark, and no HTML of anybody else."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evilpegs
from evilpegs.api.verification import Finding, VerifiedGame
from evilpegs_game.codes import SYMBOLS
from evilpegs_game.displays import MAX_ROWS, PEG_COLORS, html_pegs, html_table, show_bounds
from support.fragments import Fragment

PEGS_OF_PAGE = Path(__file__).parents[3] / "clients/evilpegs_page/components/peg.js"
RECORD = Path(__file__).parents[2] / "compatibility" / "v0.1.0" / "evil.jsonl"
SCRIPT = "<script>alert('1')</script>&amp;\"'"


def started_game():
    game = evilpegs.Game("4x6", "fixed", secret="6645")
    game.guess("1122")
    return game


def broken_record(what):
    """The verification of a record in which somebody wrote this everywhere."""
    game = VerifiedGame(1, None, 3, what, "does not hold")
    return replace(evilpegs.verify(RECORD), findings=(Finding("turn", 1, 2, what),), games=(game,))


DISPLAYS = {
    "new position": (lambda: evilpegs.Position("4x6"), ["1,296"]),
    "position": (lambda: evilpegs.Position("4x6", ["1122:1,0"]), ["256", "1122", "●··· 1,0"]),
    "contradiction": (lambda: evilpegs.Position("4x6", ["1111:1,0", "1111:2,0"]), ["●●·· 2,0"]),
    "huge position": (lambda: evilpegs.Position("12x14", ["123456789ABC:1,4"]), ["123456789ABC", "1,4"]),
    "game": (started_game, ["fixed", "1122", "···· 0,0"]),
    "duel": (lambda: evilpegs.duel("minimax", rules="3x4"), ["minimax", "evil", "●●● 3,0"]),
    "duel with devil": (
        lambda: evilpegs.duel("minimax", "devil", rules="3x4", after=["112:1,0"]),
        ["112", "exact", "●●● 3,0"],
    ),
    "evaluation": (lambda: evilpegs.evaluate("minimax", rules="3x4"), ["minimax", "3.3750"]),
    "evaluations": (
        lambda: evilpegs.evaluate(["minimax", "entropy"], rules="3x4"),
        ["minimax", "entropy", "123", "3.3750", "3.2500", "216", "208", "▁▁██"],
    ),
    "simulations": (lambda: evilpegs.evaluate(["minimax"], rules="3x4", games=50), ["3.4000", "3.2184-3.5816"]),
    "certificate": (lambda: evilpegs.certify(evilpegs.tree("minimax", "3x4")), ["216", "64"]),
    "advice": (lambda: evilpegs.advise("4x6", ["1122:1,0", "1344:0,2"]), ["3425", "entropy", "41", "1344"]),
    "few candidates": (lambda: evilpegs.advise("3x4", ["112:1,0", "134:0,2"]), ["112", "134"]),
    "advice against evil": (lambda: evilpegs.advise("3x4", ["112:1,0"], "evil"), ["par", "112"]),
    "clash": (lambda: evilpegs.advise("4x6", ["1111:1,0", "1111:2,0"]), ["1,0", "2,0", "1111"]),
    "analysis": (lambda: evilpegs.analyze("4x6", ["1122:0,1", "3414:1,1"]), ["1,296", "256", "51", "2.340"]),
    "analysis against evil": (lambda: evilpegs.analyze("3x4", ["112:1,0"], "evil"), ["112", "●·· 1,0"]),
    "analysis of a contradiction": (lambda: evilpegs.analyze("3x4", ["111:1,0", "111:2,0", "222:0,0"]), ["222"]),
    "comparison": (
        lambda: evilpegs.compare("first-consistent", "minimax", "3x5", alternative=-0.2),
        ["first-consistent", "over all secrets", "4.5680", "3.7040", "-0.8640", "34 pairs", "+3.00"],
    ),
    "comparison with samples": (
        lambda: evilpegs.compare("random-consistent", "first-consistent", max_pairs=30),
        ["luck-adjusted", "30 pairs"],
    ),
    "solution": (lambda: evilpegs.solve("3x3"), ["73 guesses", "proved", "112", "●●· 2,0", "133"]),
    "line against evil": (lambda: evilpegs.solve("3x5", against="evil"), ["against evil on 3x5", "112", "●●● 3,0"]),
    "guesses against devil": (lambda: evilpegs.solve("2x3", against="devil"), ["against devil on 2x3", "3"]),
    "partition": (
        lambda: evilpegs.partition("1122", "4x6"),
        ["1122", "yes", "2.885", "204.535", "13 parts", "●··· 1,0", "256"],
    ),
    "verification": (lambda: evilpegs.verify(RECORD), ["holds", "solved", "a code that fits", "5532"]),
    "broken record": (lambda: broken_record("two"), ["does not hold", "not over", "turn", "two"]),
}


@pytest.mark.parametrize("name", DISPLAYS)
def test_display_names_what_it_shows(name):
    make, shown = DISPLAYS[name]
    text = Fragment(make()._repr_html_()).text
    assert [each for each in shown if each not in text] == []


@pytest.mark.parametrize("name", DISPLAYS)
def test_only_pegs_have_colors_of_their_own(name):
    """So everything else has those of the notebook, whatever its theme."""
    make, _ = DISPLAYS[name]
    for style in Fragment(make()._repr_html_()).styles:
        given = style.get("background"), style.get("color", "inherit")
        assert given in {(None, "inherit"), *PEG_COLORS}
        assert not any(word in value for value in style.values() for word in ("url", "var"))
        lines = [value.split()[-1] for name, value in style.items() if name.startswith("border-") and " " in value]
        assert set(lines) <= {"currentColor"}


def test_pegs_are_those_of_the_page():
    inks = dict(re.findall(r'const (DARK|LIGHT) = "(#\w+)"', PEGS_OF_PAGE.read_text()))
    pairs = re.findall(r'\["(#\w{6})", (DARK|LIGHT)\]', PEGS_OF_PAGE.read_text())
    assert tuple((background, inks[ink]) for background, ink in pairs) == PEG_COLORS


def test_every_peg_has_its_symbol_beside_its_color():
    fragment = Fragment(html_pegs(tuple(range(len(SYMBOLS)))))
    assert fragment.text == SYMBOLS
    looks = [tuple(style.items()) for style in fragment.styles[1:]]
    assert len(set(looks[: 2 * len(PEG_COLORS)])) == 2 * len(PEG_COLORS)


def test_bars_are_in_proportion():
    result = evilpegs.evaluate("minimax", rules="4x6")
    widths = [
        float(style["border-left"].split("em")[0])
        for style in Fragment(result._repr_html_()).styles
        if "border-left" in style
    ]
    longest = max(result.distribution)
    assert [each / max(widths) for each in widths] == pytest.approx(
        [each / longest for each in result.distribution], abs=0.001
    )


def test_evaluations_are_a_tuple_with_one_row_each():
    results = evilpegs.evaluate(["minimax", "entropy"], rules="2x3")
    one, other = results
    assert results == (one, other) == tuple(results)
    assert repr(results) == f"({one!r}, {other!r})"
    assert Fragment(results._repr_html_()).tags.count("tr") == 1 + len(results)


def test_display_does_not_count_huge_positions():
    assert "candidates" not in evilpegs.Position("12x14", ["123456789ABC:1,4"])._repr_html_()


def test_long_table_is_cut_and_says_so():
    text = Fragment(html_table("", ["number"], [(f"row {number}",) for number in range(MAX_ROWS + 7)])).text
    assert f"row {MAX_ROWS - 1}" in text
    assert f"row {MAX_ROWS}" not in text
    assert "7 more" in text


def test_columns_without_cells_are_left_out():
    assert Fragment(html_table("", ["a", "b", "c"], [(0, None, ""), (None, "x", "")])).texts == ["a", "b", "0", "x"]
    assert Fragment(html_table("", ["a", "b"], [])).texts == ["a", "b"]


@pytest.mark.parametrize(
    ("bounds", "shown"),
    [(None, ""), ((None, None), ""), ((3, 3), "3"), ((3, 4), "3-4"), ((0.25, 0.5), "0.250-0.500"), ((2, None), "≥2")],
)
def test_bounds_are_shown(bounds, shown):
    assert show_bounds(bounds) == shown


def named(name):
    def choose(position, rng):
        return position.first_candidate

    choose.__name__ = name
    return choose


def test_names_cannot_be_html():
    class Hostile(evilpegs.Fixed):
        pass

    Hostile.__name__ = SCRIPT
    secret = evilpegs.parse_code("12", "2x2")
    duel = evilpegs.duel(named(SCRIPT), Hostile(secret), "2x2")
    one, several = (evilpegs.evaluate(strategy, "2x2") for strategy in (named(SCRIPT), [named(SCRIPT), "minimax"]))
    several_games = evilpegs.compare(named(SCRIPT), "minimax", "2x2", max_pairs=30)
    for shown in (duel, one, several, several_games, broken_record(SCRIPT), evilpegs.Game("2x2", Hostile(secret))):
        assert SCRIPT.lower() in Fragment(shown._repr_html_()).text.lower()


@given(st.text())
def test_every_text_is_shown_as_it_is(text):
    shown = Fragment(html_table(text, [text], [(text,)]))
    assert shown.text == 3 * text
