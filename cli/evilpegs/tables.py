"""How every table looks, and what stands in its cells."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from evilpegs_clients.pegs import marks
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
class Shown(Generic[_T]):
    """A column: its heading, and what it shows of a row."""

    heading: str
    cell: Callable[[_T], str]
    justify: JustifyMethod = "left"
    style: str = ""


def table_of(
    rows: Iterable[_T], columns: Sequence[Shown[_T]], title: str | None = None, *, close: bool = False
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


def print_fitting(out: Console, tables: Iterable[Table]) -> None:
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
    return Text.assemble(marks(*given, pegs), f" {given}")


def number(value: int | None) -> str:
    """A number for people; nothing where there is none."""
    return "" if value is None else f"{value:,}"
