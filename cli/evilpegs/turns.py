"""The turns of a game as a table."""

from collections.abc import Iterable
from typing import NamedTuple

from rich.table import Table

from evilpegs.tables import feedback_text, number, plain_table
from evilpegs_clients.pegs import peg_text
from evilpegs_game.feedback import Feedback


class TurnRow(NamedTuple):
    """One turn; ``candidates`` are those left after it, ``took_ms`` is the player's time, None where not known."""

    code: str
    feedback: Feedback
    candidates: int | None = None
    took_ms: int | None = None


def turn_table(rows: Iterable[TurnRow], timed: bool = False) -> Table:
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
