"""Tables for people: their common look, columns, bars, and the turns of a game."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from evilpegs_clients.terminal.pegs import feedback_marks, peg_text
from evilpegs_game.feedback import Feedback

_Row = TypeVar("_Row")

BAR_LENGTH: Final = 40
"""Characters of the longest bar of a histogram."""
BAR_STEPS: Final = " ▁▂▃▄▅▆▇█"
"""Bars of one character, from none to the highest."""


def plain_table(title: str | None = None) -> Table:
    """Return an empty table whose only rule is the line under its headings."""
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        collapse_padding=True,
        pad_edge=False,
    )


@dataclass(frozen=True)  # no slots: Python 3.11 does not support them on generic dataclasses
class Column(Generic[_Row]):
    """A column of a table: its heading, and the function that returns its text for a row."""

    heading: str
    cell: Callable[[_Row], str]
    justify: JustifyMethod = "left"
    style: str = ""


def make_table(
    rows: Iterable[_Row], columns: Sequence[Column[_Row]], title: str | None = None, *, close: bool = False
) -> Table:
    """Return a table of these columns, whose cells are never wrapped; ``close`` leaves out the space between them."""
    table = plain_table(title)
    if close:
        table.padding = 0
    for column in columns:
        table.add_column(column.heading, justify=column.justify, style=column.style, no_wrap=True)
    for row in rows:
        table.add_row(*(column.cell(row) for column in columns))
    return table


def first_fit(out: Console, tables: Iterable[Table]) -> tuple[Table, int]:
    """Return the first of the tables that is not too wide, else the last, and the number of columns it needs."""
    widths = out.options.update(width=10_000)
    for table in tables:
        needed = table.__rich_measure__(out, widths).maximum
        if needed <= out.width:
            break
    return table, needed


def print_first_fit(out: Console, tables: Iterable[Table]) -> None:
    """Print the first of the tables that is not too wide; if all are, the last, which the terminal wraps uncut."""
    table, needed = first_fit(out, tables)
    out.width = max(out.width, needed)
    out.print(table)


def format_number(value: int | None) -> str:
    """Return a number with thousands separators; None is an empty text."""
    return "" if value is None else f"{value:,}"


def feedback_text(feedback: Feedback, pegs: int) -> Text:
    """Return a feedback as marks and as numbers."""
    return Text.assemble(feedback_marks(*feedback, pegs), f" {feedback}")


def small_bars(counts: Sequence[int]) -> str:
    """Return one character per count, as high as the count; a count above 0 is never blank."""
    most, steps = max(counts), len(BAR_STEPS) - 1
    return "".join(BAR_STEPS[-(-count * steps // most)] for count in counts)


def histogram_table(distribution: Sequence[int], counted: str) -> Table:
    """Return a table with a row and a bar per number of guesses; ``counted`` is the heading of the counts."""
    table = plain_table()
    table.add_column("guesses", justify="right")
    table.add_column(counted, justify="right")
    table.add_column("")
    most = max(distribution)
    for guesses, count in enumerate(distribution, 1):
        table.add_row(str(guesses), f"{count:,}", "█" * round(BAR_LENGTH * count / most))
    return table


class TurnTableRow(NamedTuple):
    """One turn. ``candidates`` are left after it and ``took_ms`` is the player's time; None if not known."""

    code: str
    feedback: Feedback
    candidates: int | None = None
    took_ms: int | None = None


class TurnPrinter:
    """A printer of the turns of one game, each as soon as it is known, under the headings of `turn_table`."""

    def __init__(self, out: Console, pegs: int, first_turn: int = 1) -> None:
        self._out = out
        self._turn = first_turn
        self._widths = (4, max(5, 3 * pegs), max(8, pegs + 1 + len(f"{pegs},0")), 15)
        self._print("turn", "guess", "feedback", "candidates left")
        out.print("─" * (sum(self._widths) + 6), soft_wrap=True)

    def turn(self, row: TurnTableRow) -> None:
        """Print one turn."""
        feedback = feedback_text(row.feedback, len(row.code))
        self._print(str(self._turn), peg_text(row.code), feedback, format_number(row.candidates))
        self._turn += 1

    def _print(self, *cells: str | Text) -> None:
        texts = [Text.assemble(cell) for cell in cells]
        for index, (text, width) in enumerate(zip(texts, self._widths, strict=True)):
            text.align("right" if index in {0, 3} else "left", width)
        self._out.print(Text("  ").join(texts), soft_wrap=True)


def turn_table(rows: Iterable[TurnTableRow], timed: bool = False) -> Table:
    """Return a table with a row per turn; the player's time is shown if ``timed``."""
    table = plain_table()
    table.add_column("turn", justify="right")
    table.add_column("guess")
    table.add_column("feedback")
    table.add_column("candidates left", justify="right")
    if timed:
        table.add_column("ms", justify="right")
    for turn, row in enumerate(rows, 1):
        cells = peg_text(row.code), feedback_text(row.feedback, len(row.code)), format_number(row.candidates)
        table.add_row(str(turn), *cells, *([format_number(row.took_ms)] if timed else []))
    return table
