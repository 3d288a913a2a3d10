"""A leaderboard as a table."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table

from evilpegs.standings import Standing
from evilpegs.tables import Shown, print_fitting, table_of
from evilpegs_server.leaderboard import Row

BARS: Final = " ▁▂▃▄▅▆▇█"


def show_standings(out: Console, standings: Sequence[Standing]) -> None:
    """Print each standing, a blank line between."""
    if not any(standing.rows for standing in standings):
        out.print("no rated games yet; begin with: evilpegs bot minimax")
    for place, standing in enumerate(standings):
        if place:
            out.print()
        if standing.rows:
            print_fitting(out, standing_tables(standing))


def standing_tables(standing: Standing) -> Iterator[Table]:
    """Rank (and ranks possible), player, client, figures, how often each score occurred; then ever less of it."""
    rows, title = standing.rows, _title(standing)
    scores = [score for row in rows for score, _ in row.histogram]
    lowest, highest = min(scores), max(scores)
    histogram = Shown[Row](f"guesses\n{lowest}-{highest}", lambda row: bars(row, lowest, highest))
    yield table_of(rows, (RANK, PLAYER, CLIENT, *FIGURES, histogram), title)
    yield table_of(rows, (RANK, PLAYER, *FIGURES, histogram), title, close=True)
    for figures in range(len(FIGURES), 1, -1):
        yield table_of(rows, (RANK, PLAYER, *FIGURES[:figures]), title, close=True)
    yield table_of(rows, (PLAYER, FIGURES[1]), title, close=True)


def _title(standing: Standing) -> str:
    ladder = standing.ladder
    return f"{ladder.id}: {ladder.rules}, {ladder.codemaker} codemaker, at most {ladder.guess_limit} guesses"


def _rank(row: Row) -> str:
    """The rank and, where the intervals leave more than one possible, the ranks possible."""
    if row.rank is None:
        return "-"
    return str(row.rank) if row.rank == row.rank_worst else f"{row.rank} ({row.rank}-{row.rank_worst})"


def _interval(row: Row) -> str:
    return "" if row.low is None or row.high is None else f"{row.low:.2f}-{row.high:.2f}"


def bars(row: Row, lowest: int, highest: int) -> str:
    """A bar for each score from ``lowest`` to ``highest``; what occurred at all is never blank."""
    counts = dict(row.histogram)
    most = max(counts.values())
    steps = len(BARS) - 1
    return "".join(BARS[-(-counts.get(score, 0) * steps // most)] for score in range(lowest, highest + 1))


RANK: Final = Shown("rank", _rank, "right")
PLAYER: Final = Shown[Row]("player", lambda row: row.player, style="bold")
CLIENT: Final = Shown[Row]("client", lambda row: row.client)
FIGURES: Final = (
    Shown[Row]("games", lambda row: f"{row.games:,}", "right"),
    Shown[Row]("mean", lambda row: f"{row.mean:.3f}", "right"),
    Shown("95 %\ninterval", _interval, "right"),
    Shown[Row]("worst", lambda row: str(row.worst), "right"),
    Shown[Row]("solved", lambda row: f"{row.solved:.0%}", "right"),
    Shown[Row]("p95\nms", lambda row: f"{row.p95_ms:,}", "right"),
)
"""Where there is no room, the last is left out first."""
