"""How every table looks, and what stands in its cells.

The turns of a game as a table.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from evilpegs_clients.terminal.pegs import feedback_marks, peg_text
from evilpegs_game.feedback import Feedback


def plain_table(title: str | None = None) -> Table:
    """A table with nothing but a line under its headings."""
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        collapse_padding=True,
        pad_edge=False,
    )


_T = TypeVar("_T")


@dataclass(frozen=True)  # no slots: Python 3.11 cannot make a generic one that has them
class Column(Generic[_T]):
    """A column: its heading, and what it shows of a row."""

    heading: str
    cell: Callable[[_T], str]
    justify: JustifyMethod = "left"
    style: str = ""


def make_table(
    rows: Iterable[_T], columns: Sequence[Column[_T]], title: str | None = None, *, close: bool = False
) -> Table:
    """A table of those columns, none of which breaks a cell; ``close`` to one another, or with room between."""
    table = plain_table(title)
    if close:
        table.padding = 0
    for column in columns:
        table.add_column(column.heading, justify=column.justify, style=column.style, no_wrap=True)
    for row in rows:
        table.add_row(*(column.cell(row) for column in columns))
    return table


def print_first_fit(out: Console, tables: Iterable[Table]) -> None:
    """Print the first of the tables that is not too wide; where all are, the last, which the terminal wraps uncut."""
    widths = out.options.update(width=10_000)
    for table in tables:
        needed = table.__rich_measure__(out, widths).maximum
        if needed <= out.width:
            break
    out.width = max(out.width, needed)
    out.print(table)


def feedback_text(given: Feedback, pegs: int) -> Text:
    """A feedback as marks and as numbers."""
    return Text.assemble(feedback_marks(*given, pegs), f" {given}")


def number(value: int | None) -> str:
    """A number for people; nothing where there is none."""
    return "" if value is None else f"{value:,}"


class TurnTableRow(NamedTuple):
    """One turn; ``candidates`` are those left after it, ``took_ms`` is the player's time, None where not known."""

    code: str
    feedback: Feedback
    candidates: int | None = None
    took_ms: int | None = None


def turn_table(rows: Iterable[TurnTableRow], timed: bool = False) -> Table:
    """A row a turn; the time only if it is ``timed``."""
    table = plain_table()
    table.add_column("turn", justify="right")
    table.add_column("guess")
    table.add_column("feedback")
    table.add_column("candidates left", justify="right")
    if timed:
        table.add_column("ms", justify="right")
    for turn, row in enumerate(rows, 1):
        shown = peg_text(row.code), feedback_text(row.feedback, len(row.code)), number(row.candidates)
        table.add_row(str(turn), *shown, *([number(row.took_ms)] if timed else []))
    return table
