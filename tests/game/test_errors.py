"""Words that errors quote."""

import pytest

from evilpegs_game.errors import quoted


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("4y6", 40, "'4y6'"),
        ("x" * 40, 40, f"'{'x' * 40}'"),
        ("abcd", 3, "'abc...'"),
        ("a'\n", 40, '"a\'\\n"'),
        ("", 3, "''"),
    ],
)
def test_quoted_shows_where_a_text_was_cut(text, most, expected):
    assert quoted(text, most) == expected
