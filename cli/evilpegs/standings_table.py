"""A leaderboard as a table."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table

from evilpegs.standings import Standing
from evilpegs.tables import plain_table
from evilpegs_server.leaderboard import Row

BARS: Final = " ▁▂▃▄▅▆▇█"
WIDE: Final = 100
"""From this many columns on there is room for the client."""
_NUMBERS: Final = ("games", "mean", "95 %\ninterval", "worst", "solved", "p95\nms")


def show_standings(out: Console, standings: Sequence[Standing]) -> None:
    """Print each standing, a blank line between."""
    if not any(standing.rows for standing in standings):
        out.print("no rated games yet; begin with: evilpegs bot minimax")
    for place, standing in enumerate(standings):
        if place:
            out.print()
        if standing.rows:
            out.print(standing_table(standing, out.width))


def standing_table(standing: Standing, width: int) -> Table:
    """Rank (and ranks possible), player, client where ``width`` allows, figures, and how often each score occurred."""
    rows, with_client = standing.rows, width >= WIDE
    scores = [score for row in rows for score, _ in row.histogram]
    lowest, highest = min(scores), max(scores)
    table = plain_table(_title(standing))
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("player", style="bold", no_wrap=True)
    if with_client:
        table.add_column("client", no_wrap=True)
    else:
        table.padding = 0
    for heading in _NUMBERS:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(f"guesses\n{lowest}-{highest}", no_wrap=True)
    for row in rows:
        client = [row.client] if with_client else []
        table.add_row(_rank(row), row.player, *client, *_figures(row), bars(row, lowest, highest))
    return table


def _title(standing: Standing) -> str:
    ladder = standing.ladder
    return f"{ladder.id}: {ladder.rules}, {ladder.codemaker} codemaker, at most {ladder.guess_limit} guesses"


def _rank(row: Row) -> str:
    """The rank and, where the intervals leave more than one possible, the ranks possible."""
    if row.rank is None:
        return "-"
    return str(row.rank) if row.rank == row.rank_worst else f"{row.rank} ({row.rank}-{row.rank_worst})"


def _figures(row: Row) -> tuple[str, ...]:
    return (
        f"{row.games:,}",
        f"{row.mean:.3f}",
        "" if row.low is None or row.high is None else f"{row.low:.2f}-{row.high:.2f}",
        str(row.worst),
        f"{row.solved:.0%}",
        f"{row.p95_ms:,}",
    )


def bars(row: Row, lowest: int, highest: int) -> str:
    """A bar for each score from ``lowest`` to ``highest``; what occurred at all is never blank."""
    counts = dict(row.histogram)
    most = max(counts.values())
    steps = len(BARS) - 1
    return "".join(BARS[-(-counts.get(score, 0) * steps // most)] for score in range(lowest, highest + 1))
