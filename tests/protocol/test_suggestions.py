"""The nearest ladders to a mistyped id."""

import re

import pytest

from evilpegs_protocol.suggestions import SUGGESTIONS, nearest_ids, unknown_ladder_text

KNOWN = ["classic", "classic-evil", "classic-blitz", "grand", "grand-evil", "huge", "super"]


@pytest.mark.parametrize(("typed", "nearest"), [("clasic", "classic"), ("GRAND-EVIL", "grand-evil"), ("hug", "huge")])
def test_nearest_id_comes_first(typed, nearest):
    assert nearest_ids(typed, KNOWN)[0] == nearest


@pytest.mark.parametrize("typed", ["", "zzz", "x" * 10_000, "\x1b[31m", "クラシック"])
def test_what_is_not_near_is_not_suggested(typed):
    assert nearest_ids(typed, KNOWN) == []
    assert not any(ladder in unknown_ladder_text(typed, KNOWN) for ladder in KNOWN)


@pytest.mark.parametrize("known", [[], ["tiny"], ["tiny", "tinny"], ["tiny", "tinny", "tin", "tina"]])
def test_fewer_ladders_give_fewer_suggestions(known):
    named = [ladder for ladder in known if re.search(rf"\b{ladder}\b", unknown_ladder_text("tinyy", known))]
    assert named == known[:SUGGESTIONS]


def test_unknown_ladder_is_quoted_without_controls():
    assert "\x1b" not in unknown_ladder_text("\x1b[31m", KNOWN)
