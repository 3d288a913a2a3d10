"""The nearest ladders to a mistyped id."""

import pytest

from evilpegs_protocol.suggestions import SUGGESTIONS, nearest_ids, unknown_ladder_text

KNOWN = ["classic", "classic-evil", "classic-blitz", "grand", "grand-evil", "huge", "super"]


@pytest.mark.parametrize(("typed", "nearest"), [("clasic", "classic"), ("GRAND-EVIL", "grand-evil"), ("hug", "huge")])
def test_nearest_id_comes_first(typed, nearest):
    assert nearest_ids(typed, KNOWN)[0] == nearest


@pytest.mark.parametrize("typed", ["", "zzz", "x" * 10_000, "\x1b[31m", "クラシック"])
def test_nearest_ids_are_always_as_many(typed):
    assert len(set(nearest_ids(typed, KNOWN))) == SUGGESTIONS


@pytest.mark.parametrize("known", [[], ["tiny"], ["tiny", "huge"]])
def test_fewer_ladders_give_fewer_suggestions(known):
    text = unknown_ladder_text("x", known)
    assert [ladder for ladder in ("tiny", "huge") if ladder in text] == known


def test_unknown_ladder_is_quoted_without_controls():
    assert "\x1b" not in unknown_ladder_text("\x1b[31m", KNOWN)
