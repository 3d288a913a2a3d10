"""Value curves: the frozen files, values between knots, and files that are wrong."""

import json
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.errors import MalformedError
from evilpegs_game.luck.game_luck import (
    CURVES_FOLDER,
    MILLION,
    ValueCurve,
    curve_path,
    format_value_curve,
    load_value_curve,
    read_value_curve,
)
from evilpegs_game.rules import Rules

RULES = Rules(2, 3)
KNOTS = [(1, MILLION), (2, 1_500_000), (9, 2_500_000)]
FROZEN = {
    "4x6-10": "67dcfd0d668ecb00",
    "4x10-distinct-12": "0a7912c35e0e75e9",
    "5x8-14": "60297587d6ab70fd",
    "6x10-20": "acc0940e9efbb33f",
    "8x10-24": "7be94f0ec9a98bf6",
    "10x12-24": "e05fb60aff313c65",
}
"""The hashes of the curves of the built-in ladders. They never change: stored luck refers to them."""


def document(**changes):
    return {"rules": "2x3", "guess_limit": 6, "calibration": "", "knots": [list(knot) for knot in KNOTS]} | changes


def test_frozen_curves_never_change():
    loaded = {}
    for path in CURVES_FOLDER.glob("*.json"):
        text, limit = path.stem.rsplit("-", 1)
        loaded[path.stem] = load_value_curve(Rules.parse(text), int(limit)).hash
    assert loaded == FROZEN


def test_curve_passes_through_knots_and_is_linear_in_log():
    curve = ValueCurve(RULES, 6, KNOTS)
    assert [curve.value(size) for size in (1, 2, 9)] == [1.0, 1.5, 2.5]
    assert curve.value(4) == pytest.approx(1.5 + (log(4) - log(2)) / (log(9) - log(2)))


@given(st.lists(st.integers(1, 10**12), min_size=1))
def test_values_between_knots_equal_interpolation(sizes):
    curve = ValueCurve(Rules(10, 16), 24, [(1, MILLION), (77, 3 * MILLION), (16**10, 9 * MILLION)])
    values = np.interp(np.log(sizes), np.log([1, 77, 16**10]), [1, 3, 9])
    assert [curve.value(size) for size in sizes] == pytest.approx(values, abs=1e-12)


def test_hash_covers_rules_limit_and_knots_alone():
    """The digits are those that sha256sum prints for {"guess_limit":6,"knots":[[1,1000000],...],"rules":"2x3"}."""
    curve = ValueCurve(RULES, 6, KNOTS)
    assert curve.hash == "ebbbae39a49e0134"
    assert ValueCurve(RULES, 6, KNOTS, "otherwise").hash == curve.hash
    others = [ValueCurve(RULES, 7, KNOTS), ValueCurve(RULES, 6, [*KNOTS[:2], (9, 2_500_001)])]
    assert len({curve.hash, *(other.hash for other in others)}) == 3


def test_file_holds_the_curve(tmp_path):
    curve, path = ValueCurve(RULES, 6, KNOTS, "by hand"), curve_path(RULES, 6, tmp_path)
    path.write_text(format_value_curve(curve))
    read = read_value_curve(path, RULES, 6)
    assert (read.knots, read.hash, read.calibration) == (curve.knots, curve.hash, "by hand")
    assert path.name == "2x3-6.json"


def test_rules_without_file_have_no_curve():
    assert load_value_curve(RULES, 6) is None
    assert load_value_curve(Rules(4, 6), 9) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "JSON object"),
        ("[1, 2]", "JSON object"),
        ("{", "JSON object"),
        ("[" * 100_000, "JSON object"),
        (document(rules="4x6"), "'4x6', not '2x3'"),
        (document(rules=None), "rules"),
        (document(guess_limit=7), "guess_limit"),
        (document(guess_limit=6.0), "guess_limit"),
        (document(knots=None), "pairs"),
        (document(knots=[[1, MILLION], [9, 2.5]]), "pairs"),
        (document(knots=[[1, MILLION], [9]]), "pairs"),
        (document(knots=[[True, MILLION], [9, MILLION]]), "pairs"),
        (document(knots=[]), "first knot"),
        (document(knots=[[1, MILLION + 1], [9, 2 * MILLION]]), "first knot"),
        (document(knots=[[2, MILLION], [9, 2 * MILLION]]), "first knot"),
        (document(knots=[[1, MILLION], [8, 2 * MILLION]]), "last knot"),
        (document(knots=[[1, MILLION], [3, MILLION], [3, MILLION], [9, MILLION]]), "do not increase"),
        (document(knots=[[1, MILLION], [2, 3 * MILLION], [9, 2 * MILLION]]), "decrease"),
        (document(knots=[[1, MILLION], [9, 8 * MILLION]]), "more than 7"),
    ],
)
def test_wrong_file_is_one_clear_error(tmp_path, text, reason):
    path = curve_path(RULES, 6, tmp_path)
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    with pytest.raises(MalformedError) as caught:
        read_value_curve(path, RULES, 6)
    message = str(caught.value)
    assert str(path) in message
    assert reason in message
    assert "\n" not in message
