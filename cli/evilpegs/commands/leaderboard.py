"""A leaderboard as a table.

The leaderboards of a database.

`evilpegs leaderboard`: who is better, and by how much.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from typing import Annotated, Any, Final, NamedTuple

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table
from sqlalchemy import Engine

from evilpegs.database import match_with, open_for_reading
from evilpegs.errors import CommandError
from evilpegs.options import Database, Json
from evilpegs.output import console, print_json
from evilpegs.tables import Column, make_table, print_first_fit
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.server_messages import RecordEvent
from evilpegs_server.match.ladders import Ladder, load_ladders
from evilpegs_server.scoring.leaderboard import LeaderboardRow
from evilpegs_server.scoring.leaderboard import leaderboard as ranked_rows
from evilpegs_server.storage.archive import load_event_texts


class Standing(NamedTuple):
    """A ladder and its rows, best first."""

    ladder: Ladder
    rows: list[LeaderboardRow]


def standings(engine: Engine, ladder_id: str | None = None) -> list[Standing]:
    """The standing on that ladder, or without one on every ladder that has rated games; raises CommandError."""
    if ladder_id is not None:
        return [_standing(engine, _rated(ladder_id))]
    every = (_standing(engine, ladder) for ladder in load_ladders().values() if ladder.rated)
    return [standing for standing in every if standing.rows]


def _standing(engine: Engine, ladder: Ladder) -> Standing:
    return Standing(ladder, ranked_rows(_events(engine, ladder), ladder.id))


def _events(engine: Engine, ladder: Ladder) -> Iterator[RecordEvent]:
    for text in load_event_texts(engine, [ladder.id]):
        try:
            yield decode_record_event(text)
        except CodecError as error:
            message = f"the record of match {match_with(engine, text)} cannot be read: {error}"
            raise CommandError(message) from None


def _rated(ladder_id: str) -> Ladder:
    ladders = load_ladders()
    ladder = ladders.get(ladder_id)
    if ladder is None:
        close = get_close_matches(ladder_id, ladders, n=1)
        hint = f"did you mean {close[0]}?" if close else "see: evilpegs ladders"
        message = f"there is no ladder {ladder_id[:40]!r}; {hint}"
        raise CommandError(message)
    if not ladder.rated:
        message = f"{ladder.id} is for practice and has no leaderboard; see: evilpegs ladders"
        raise CommandError(message)
    return ladder


BARS: Final = " ▁▂▃▄▅▆▇█"


def show_standings(out: Console, standings: Sequence[Standing]) -> None:
    """Print each standing, a blank line between."""
    if not any(standing.rows for standing in standings):
        out.print("no rated games yet; begin with: evilpegs bot minimax")
    for place, standing in enumerate(standings):
        if place:
            out.print()
        if standing.rows:
            print_first_fit(out, standing_tables(standing))


def standing_tables(standing: Standing) -> Iterator[Table]:
    """Rank (and ranks possible), player, client, figures, how often each score occurred; then ever less of it."""
    rows, title = standing.rows, _title(standing)
    scores = [score for row in rows for score, _ in row.histogram]
    lowest, highest = min(scores), max(scores)
    histogram = Column[LeaderboardRow](f"guesses\n{lowest}-{highest}", lambda row: bars(row, lowest, highest))
    yield make_table(rows, (RANK, PLAYER, CLIENT, *FIGURES, histogram), title)
    yield make_table(rows, (RANK, PLAYER, *FIGURES, histogram), title, close=True)
    for figures in range(len(FIGURES), 1, -1):
        yield make_table(rows, (RANK, PLAYER, *FIGURES[:figures]), title, close=True)
    yield make_table(rows, (PLAYER, FIGURES[1]), title, close=True)


def _title(standing: Standing) -> str:
    ladder = standing.ladder
    return f"{ladder.id}: {ladder.rules}, {ladder.codemaker} codemaker, at most {ladder.guess_limit} guesses"


def _rank(row: LeaderboardRow) -> str:
    """The rank and, where the intervals leave more than one possible, the ranks possible."""
    if row.rank is None:
        return "-"
    return str(row.rank) if row.rank == row.rank_worst else f"{row.rank} ({row.rank}-{row.rank_worst})"


def _interval(row: LeaderboardRow) -> str:
    return "" if row.low is None or row.high is None else f"{row.low:.2f}-{row.high:.2f}"


def bars(row: LeaderboardRow, lowest: int, highest: int) -> str:
    """A bar for each score from ``lowest`` to ``highest``; what occurred at all is never blank."""
    counts = dict(row.histogram)
    most = max(counts.values())
    steps = len(BARS) - 1
    return "".join(BARS[-(-counts.get(score, 0) * steps // most)] for score in range(lowest, highest + 1))


RANK: Final = Column("rank", _rank, "right")
PLAYER: Final = Column[LeaderboardRow]("player", lambda row: row.player, style="bold")
CLIENT: Final = Column[LeaderboardRow]("client", lambda row: row.client)
FIGURES: Final = (
    Column[LeaderboardRow]("games", lambda row: f"{row.games:,}", "right"),
    Column[LeaderboardRow]("mean", lambda row: f"{row.mean:.3f}", "right"),
    Column("95 %\ninterval", _interval, "right"),
    Column[LeaderboardRow]("worst", lambda row: str(row.worst), "right"),
    Column[LeaderboardRow]("solved", lambda row: f"{row.solved:.0%}", "right"),
    Column[LeaderboardRow]("p95\nms", lambda row: f"{row.p95_ms:,}", "right"),
)
"""Where there is no room, the last is left out first."""


def leaderboard(
    *,
    ladder: Annotated[
        str | None, Parameter(help="The id of a rated ladder; by default every one that has rated games.")
    ] = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Show the leaderboards, computed from the log of all matches.

    A player is ranked with the latest version of his client. A game that was not solved counts as one guess more
    than the limit. The interval of the mean holds at 95 % however often one looks; a player with fewer than 100
    games on a fixed ladder has no rank yet. Ranks that the intervals leave possible are shown beside the rank.
    """
    with open_for_reading(database) as engine:
        found = standings(engine, ladder)
    if as_json:
        print_json({"ladders": [_document(standing) for standing in found]})
    else:
        _show(found)


def _document(standing: Standing) -> dict[str, Any]:
    ladder = standing.ladder
    return {
        "ladder": ladder.id,
        "rules": str(ladder.rules),
        "codemaker": ladder.codemaker,
        "guess_limit": ladder.guess_limit,
        "rows": [asdict(row) for row in standing.rows],
    }


def _show(found: list[Standing]) -> None:
    show_standings(console(), found)
