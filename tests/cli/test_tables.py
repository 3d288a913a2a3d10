"""Tables that give way on a narrow terminal."""

import io

import pytest
from rich.console import Console

from evilpegs.output import Column, TurnTableRow, print_histogram, print_table, print_turns
from evilpegs_game.feedback import Feedback

ROWS = ("alpha", "be")
COLUMNS = (
    Column("name", str),
    Column("long", lambda row: row * 3, narrow={2: lambda row: row * 2, 3: None}),
    Column("size", lambda row: str(len(row)), "right", narrow={1: None}),
    Column("late", None, narrow={2: lambda row: "+", 3: None}),
)


def printed(width, show=lambda out: print_table(out, ROWS, COLUMNS)):
    out = Console(file=io.StringIO(), width=width)
    show(out)
    assert out.width == width
    return [line.rstrip() for line in out.file.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("width", "heading", "first"),
    [
        (80, "name   long             size", "alpha  alphaalphaalpha     5"),
        (27, "name  long            size", "alpha alphaalphaalpha    5"),
        (25, "name   long", "alpha  alphaalphaalpha"),
        (21, "name  long", "alpha alphaalphaalpha"),
        (20, "name", "alpha"),
        (5, "name", "alpha"),
    ],
)
def test_table_takes_widest_form_that_fits(width, heading, first):
    lines = printed(width)
    assert (lines[0], lines[2]) == (heading, first)


def test_column_appears_where_another_is_left_out():
    columns = (COLUMNS[0], Column("long", lambda row: row * 3, narrow={2: None}), COLUMNS[3])
    lines = printed(12, lambda out: print_table(out, ROWS, columns))
    assert lines[2:] == ["alpha  +", "be     +"]


def test_table_too_wide_in_every_form_is_not_cut():
    assert printed(3) == ["name", "─────", "alpha", "be"]


def test_table_without_rows_shows_headings():
    assert printed(80, lambda out: print_table(out, (), COLUMNS))[0].split() == ["name", "long", "size"]


def test_histogram_leaves_bars_out_when_narrow():
    assert "█" * 40 in printed(80, lambda out: print_histogram(out, (1, 4), "codes"))[3]
    assert not any("█" in line for line in printed(30, lambda out: print_histogram(out, (1, 4), "codes")))


@pytest.mark.parametrize(
    ("width", "first"),
    [(80, " 1  1  2   ●·· 1,0"), (45, " 1  1  2  ●·· 1,0"), (41, "112   ●·· 1,0"), (37, "112   1,0")],
)
def test_turns_are_written_without_pegs_when_narrow(width, first):
    row = TurnTableRow("112", Feedback(1, 0), 17, 40)
    lines = printed(width, lambda out: print_turns(out, [row], timed=True))
    assert first in lines[2]
    assert ("ms" in lines[0]) == (width > 37)
