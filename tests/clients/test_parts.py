"""The parts of a guess as people see them."""

import pytest

from evilpegs_clients.parts import all_parts, few_parts
from evilpegs_protocol.server_messages import FeedbackGiven

PARTS = ((0, 0, 9), (0, 1, 40), (0, 2, 9), (1, 0, 7), (1, 1, 3))


def answered(given, method=None):
    black, white = given
    where = {"match": "0" * 16, "seq": 3, "at": 0, "game": 1, "turn": 1, "took_ms": 0, "left_ms": None}
    return FeedbackGiven(**where, code="112", black=black, white=white, method=method, candidates=9, parts=PARTS)


@pytest.mark.parametrize(
    ("codemaker", "given", "method", "shown"),
    [
        ("fixed", (1, 0), None, "the parts of 112:  0,1: 40  0,0: 9  0,2: 9"),
        ("evil", (0, 1), None, "evil kept the largest part:  [0,1: 40]  0,0: 9  0,2: 9"),
        ("devil", (0, 1), "greedy", "the devil kept the largest part:  [0,1: 40]  0,0: 9  0,2: 9"),
        ("devil", (0, 2), "exact", "the devil kept the hardest part:  [0,2: 9]  0,1: 40  0,0: 9"),
        ("devil", (1, 0), "exact", "the devil kept the hardest part:  [1,0: 7]  0,1: 40  0,0: 9"),
    ],
)  # fmt: skip
def test_what_was_kept_is_always_among_the_few(codemaker, given, method, shown):
    assert few_parts(answered(given, method), codemaker, 120).plain.strip() == shown + "  and 2 more: type parts"


def test_all_parts_are_the_largest_first():
    shown = all_parts(answered((1, 0), "exact"), "devil", 120).plain.strip()
    assert shown == "the devil kept the hardest part:  0,1: 40  0,0: 9  0,2: 9  [1,0: 7]  1,1: 3"
