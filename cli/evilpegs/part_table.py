"""The parts of several guesses side by side."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.table import Table

from evilpegs.tables import feedback_text, plain_table
from evilpegs_clients.pegs import peg_text
from evilpegs_game.candidates import Position
from evilpegs_game.codes import Code, format_code
from evilpegs_game.guess_figures import guess_figures

NAMES_WIDTH: Final = 20
"""Of the first column: the marks of up to 16 pegs, and the numbers."""
LEAST_WIDTH: Final = 11
"""Of a guess's column: the sizes of any space that can be counted."""


def part_tables(position: Position, codes: Sequence[Code], width: int) -> Iterator[Table]:
    """As many guesses side by side as ``width`` has room for, the others in tables below."""
    column = max(LEAST_WIDTH, 3 * position.rules.pegs) + 2
    room = max(1, (width - NAMES_WIDTH) // column)
    for first in range(0, len(codes), room):
        yield part_table(position, codes[first : first + room])


def part_table(position: Position, codes: Sequence[Code]) -> Table:
    """A row a feedback, a column a guess, and below what the parts come to."""
    parts = [position.parts(code) for code in codes]
    table = plain_table()
    table.add_column("feedback", no_wrap=True)
    for code in codes:
        table.add_column(peg_text(format_code(code)), justify="right", no_wrap=True)
    for given in sorted({given for sizes in parts for given in sizes}):
        sizes_of_part = (f"{sizes[given]:,}" if given in sizes else "" for sizes in parts)
        table.add_row(feedback_text(given, position.rules.pegs), *sizes_of_part)
    table.add_row()
    figures = [guess_figures(position, code) for code in codes]
    table.add_row("parts", *(str(one.parts) for one in figures))
    table.add_row("largest", *(f"{one.largest:,}" for one in figures))
    table.add_row("expected size", *(f"{float(one.expected_size):,.2f}" for one in figures))
    table.add_row("bits", *(f"{one.bits:.4f}" for one in figures))
    table.add_row("a candidate", *("yes" if one.is_candidate else "no" for one in figures))
    return table
