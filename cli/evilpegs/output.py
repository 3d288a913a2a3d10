"""Output of commands: a JSON document, text or tables on standard output, and progress on standard error."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from typing import IO, Any, Final, Generic, NamedTuple, TypeVar

from rich import box
from rich.console import Console, JustifyMethod
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from evilpegs_clients.terminal.console import PipedConsole
from evilpegs_clients.terminal.pegs import feedback_marks, peg_text
from evilpegs_game.feedback import Feedback

PLAIN_WIDTH: Final = 120  # of text for people in a file or a pipe


def whole_range(at_least: int, at_most: int | None) -> str:
    """Return bounds of whole guesses such as ``3``, ``3-4``, ``≤1`` or ``≥3``."""
    if at_least == at_most:
        return f"{at_least}"
    return f"≥{at_least}" if at_most is None else f"{at_least}-{at_most}" if at_least else f"≤{at_most}"


def pluralize(count: int, singular: str, plural: str | None = None) -> str:
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def print_json(document: dict[str, Any]) -> None:
    text = json.dumps(document, ensure_ascii=False)
    # unprintable characters are escaped, because a terminal could obey them
    print("".join(symbol if symbol.isprintable() else json.dumps(symbol)[1:-1] for symbol in text))  # noqa: T201


def only_document(as_json: bool) -> AbstractContextManager[object]:
    """With ``as_json``, keep standard output for a document: prints of a strategy go to standard error."""
    return redirect_stdout(sys.stderr) if as_json else nullcontext()


def console(file: IO[str] | None = None) -> Console:
    target = file or sys.stdout
    return PipedConsole(
        file=target,
        width=None if target.isatty() else PLAIN_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
        quiet=target is sys.stderr and bool(os.environ.get("EVILPEGS_QUIET")),
    )


def can_redraw(out: Console) -> bool:
    return out.is_terminal and not out.is_dumb_terminal


def progress(out: Console) -> Progress:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    return Progress(*columns, console=out, transient=True, disable=not can_redraw(out))


_Row = TypeVar("_Row")

BAR_LENGTH: Final = 40  # characters
BAR_STEPS: Final = " ▁▂▃▄▅▆▇█"


def plain_table(title: str | None = None) -> Table:
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
    """A column of a table: a heading, and the function that returns the cell of a row.

    A table that is too wide is narrowed in steps 1, 2 and so on, each for all columns at once. ``narrow`` maps a step
    to the cell function from this step on, or to None to leave the column out. If ``cell`` is None, the column is
    missing until one of its steps adds it.
    """

    heading: str
    cell: Callable[[_Row], str | Text] | None
    justify: JustifyMethod = "left"
    style: str = ""
    narrow: Mapping[int, Callable[[_Row], str | Text] | None] = field(default_factory=dict)

    def cell_at(self, step: int) -> Callable[[_Row], str | Text] | None:
        taken = [number for number in self.narrow if number <= step]
        return self.narrow[max(taken)] if taken else self.cell


def fit_table(
    out: Console, rows: Sequence[_Row], columns: Sequence[Column[_Row]], title: str | None = None
) -> tuple[Table, int]:
    """Return the widest form of the table that fits on ``out``, or else the narrowest, and its width."""
    widths = out.options.update(width=10_000)
    steps = sorted({0}.union(*(column.narrow for column in columns)))
    for step, padding in product(steps, ((0, 1), (0, 0))):
        table = plain_table(title)
        table.padding = padding
        shown = [(column, cell) for column in columns if (cell := column.cell_at(step)) is not None]
        for column, _ in shown:
            table.add_column(column.heading, justify=column.justify, style=column.style, no_wrap=True)
        for row in rows:
            table.add_row(*(cell(row) for _, cell in shown))
        needed = table.__rich_measure__(out, widths).maximum
        if needed <= out.width:
            break
    return table, needed


def print_table(out: Console, rows: Sequence[_Row], columns: Sequence[Column[_Row]]) -> None:
    """Print the widest form that fits; if none does, the terminal breaks the lines of the narrowest."""
    table, needed = fit_table(out, rows, columns)
    table.width = needed
    out.print(table, crop=False)


def format_time(unix_ms: int) -> str:
    return datetime.fromtimestamp(unix_ms / 1000).strftime("%Y-%m-%d %H:%M")


def format_number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def feedback_text(feedback: Feedback, pegs: int) -> Text:
    return Text.assemble(feedback_marks(*feedback, pegs), f" {feedback}")


def small_bars(counts: Sequence[int]) -> str:
    """Return one character per count, its height in proportion; rounded up, so that only a 0 is blank."""
    most, steps = max(counts), len(BAR_STEPS) - 1
    return "".join(BAR_STEPS[-(-count * steps // most)] for count in counts)


def print_histogram(out: Console, distribution: Sequence[int], counted: str) -> None:
    most = max(distribution)
    columns: list[Column[tuple[int, int]]] = [
        Column("guesses", lambda row: str(row[0]), "right"),
        Column(counted, lambda row: f"{row[1]:,}", "right"),
        Column("", lambda row: "█" * round(BAR_LENGTH * row[1] / most), narrow={1: None}),
    ]
    print_table(out, list(enumerate(distribution, 1)), columns)


class TurnTableRow(NamedTuple):
    code: str
    feedback: Feedback
    candidates: int | None = None
    took_ms: int | None = None


class TurnPrinter:
    """A printer of the table of `print_turns` that prints each turn as soon as it is known."""

    def __init__(self, out: Console, pegs: int, first_turn: int = 1) -> None:
        self._out, self._turn = out, first_turn
        self._widths = (4, max(5, 3 * pegs), max(8, pegs + 1 + len(f"{pegs},0")), 15)
        self._print("turn", "guess", "feedback", "candidates left")
        out.print("─" * (sum(self._widths) + 6), soft_wrap=True)

    def turn(self, row: TurnTableRow) -> None:
        feedback = feedback_text(row.feedback, len(row.code))
        self._print(str(self._turn), peg_text(row.code), feedback, format_number(row.candidates))
        self._turn += 1

    def _print(self, *cells: str | Text) -> None:
        texts = [Text.assemble(cell) for cell in cells]
        for index, (text, width) in enumerate(zip(texts, self._widths, strict=True)):
            text.align("right" if index in {0, 3} else "left", width)
        self._out.print(Text("  ").join(texts), soft_wrap=True)


def print_turns(out: Console, rows: Iterable[TurnTableRow], timed: bool = False) -> None:
    columns: list[Column[tuple[int, TurnTableRow]]] = [
        Column("turn", lambda row: str(row[0]), "right"),
        Column("guess", lambda row: peg_text(row[1].code), narrow={1: lambda row: row[1].code}),
        Column(
            "feedback",
            lambda row: feedback_text(row[1].feedback, len(row[1].code)),
            narrow={2: lambda row: str(row[1].feedback)},
        ),
        Column("candidates left", lambda row: format_number(row[1].candidates), "right"),
    ]
    if timed:
        columns.append(Column("ms", lambda row: format_number(row[1].took_ms), "right", narrow={3: None}))
    print_table(out, list(enumerate(rows, 1)), columns)
