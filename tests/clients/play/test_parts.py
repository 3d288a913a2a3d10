"""Parts as the terminal shows them; the headings are compared in the snapshots."""

import re

import pytest

from evilpegs_clients.play.match_screen import all_parts_text, largest_parts_text
from evilpegs_protocol.server_messages import FeedbackGiven

PARTS = ((0, 0, 9), (0, 1, 40), (0, 2, 9), (1, 0, 7), (1, 1, 3))


def event(given, method=None):
    black, white = given
    where = {"match": "0" * 16, "seq": 3, "at": 0, "game": 1, "turn": 1, "took_ms": 0, "left_ms": None}
    return FeedbackGiven(**where, code="112", black=black, white=white, method=method, candidates=9, parts=PARTS)


def pieces(text):
    """Return the heading and the parts, which two spaces separate."""
    return text.plain.strip().split("  ")


@pytest.mark.parametrize(
    ("codemaker", "given", "method", "parts"),
    [
        ("fixed", (1, 0), None, ["0,1: 40", "0,0: 9", "0,2: 9"]),
        ("evil", (0, 1), None, ["[0,1: 40]", "0,0: 9", "0,2: 9"]),
        ("devil", (0, 1), "greedy", ["[0,1: 40]", "0,0: 9", "0,2: 9"]),
        ("devil", (0, 2), "exact", ["[0,2: 9]", "0,1: 40", "0,0: 9"]),
        ("devil", (1, 0), "exact", ["[1,0: 7]", "0,1: 40", "0,0: 9"]),
    ],
)
def test_few_parts_include_given_part(codemaker, given, method, parts):
    heading, *shown, more = pieces(largest_parts_text(event(given, method), codemaker, 120))
    assert shown == parts
    assert ("112" in heading) == (codemaker == "fixed")
    assert re.search(r"\b2\b.*\bparts$", more)


def test_all_parts_are_largest_first():
    _, *shown = pieces(all_parts_text(event((1, 0), "exact"), "devil", 120))
    assert shown == ["0,1: 40", "0,0: 9", "0,2: 9", "[1,0: 7]", "1,1: 3"]


def test_parts_of_methods_have_headings_of_their_own():
    methods = [("evil", None), ("devil", "greedy"), ("devil", "exact")]
    headings = {pieces(all_parts_text(event((0, 1), method), maker, 120))[0] for maker, method in methods}
    assert len(headings) == 3
