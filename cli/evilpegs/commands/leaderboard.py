"""`evilpegs leaderboard`: the leaderboards of a database, who is better and by how much."""

import sys
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from typing import Annotated, Final, NamedTuple

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table
from sqlalchemy import Engine

from evilpegs.database import find_match_with_event, open_for_reading
from evilpegs.errors import CommandError
from evilpegs.options import Database, Json
from evilpegs.output import console, pluralize, print_json
from evilpegs.tables import Column, make_table, print_first_fit, small_bars
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.server_messages import RecordEvent
from evilpegs_server.match.ladders import Ladder, load_ladders
from evilpegs_server.scoring.leaderboard import LeaderboardRow, leaderboard_document
from evilpegs_server.scoring.leaderboard import leaderboard as rank_players
from evilpegs_server.storage.archive import load_event_texts
from evilpegs_server.storage.chains import all_broken_matches


class Standing(NamedTuple):
    """A ladder and the rows of its leaderboard, best first."""

    ladder: Ladder
    rows: list[LeaderboardRow]


def leaderboard(
    *,
    ladder: Annotated[
        str | None, Parameter(help="The id of a rated ladder; by default every one that has rated games.")
    ] = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Show the leaderboards, computed from the log of all matches.

    A player is ranked with the latest version of their client. A game that was not solved counts as one guess more
    than the limit. The interval of the mean holds at 95 % however often one looks; a player with fewer than 100
    games on a fixed ladder has no rank yet. Ranks that the intervals leave possible are shown beside the rank. A
    match whose record was changed does not count.
    """
    with open_for_reading(database) as engine:
        broken = all_broken_matches(engine)
        standings = load_standings(engine, ladder, broken)
    if broken:
        what = f"{pluralize(len(broken), 'match', 'matches')} left out, because the chain of hashes is broken"
        console(sys.stderr).print(f"{what}; see: evilpegs database check")
    if as_json:
        print_json({"ladders": [leaderboard_document(ladder.info(), rows) for ladder, rows in standings]})
    else:
        show_standings(console(), standings)


def load_standings(engine: Engine, ladder_id: str | None = None, without: Collection[int] = ()) -> list[Standing]:
    """Return the standing on one ladder, by default on each that has rated games.

    Matches whose numbers are in ``without`` do not count.

    Raises:
        CommandError: the ladder has no leaderboard, or an event cannot be read.
    """
    if ladder_id is not None:
        return [_load_standing(engine, _find_rated_ladder(ladder_id), without)]
    standings = (_load_standing(engine, ladder, without) for ladder in load_ladders().values() if ladder.rated)
    return [standing for standing in standings if standing.rows]


def _load_standing(engine: Engine, ladder: Ladder, without: Collection[int]) -> Standing:
    return Standing(ladder, rank_players(_read_events(engine, ladder, without), ladder.id))


def _read_events(engine: Engine, ladder: Ladder, without: Collection[int]) -> Iterator[RecordEvent]:
    for text in load_event_texts(engine, [ladder.id], without):
        try:
            yield decode_record_event(text)
        except CodecError as error:
            message = f"the record of match {find_match_with_event(engine, text)} cannot be read: {error}"
            raise CommandError(message) from None


def _find_rated_ladder(ladder_id: str) -> Ladder:
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


def show_standings(out: Console, standings: Sequence[Standing]) -> None:
    """Print each standing, with a blank line between them."""
    if not any(standing.rows for standing in standings):
        out.print("no rated games yet; begin with: evilpegs bot minimax")
    for index, standing in enumerate(standings):
        if index:
            out.print()
        if standing.rows:
            print_first_fit(out, standing_tables(standing))


def standing_tables(standing: Standing) -> Iterator[Table]:
    """Yield the complete table of a leaderboard, then narrower ones with fewer columns."""
    rows, title = standing.rows, _title(standing)
    scores = [score for row in rows for score, _ in row.histogram]
    lowest, highest = min(scores), max(scores)
    histogram = Column[LeaderboardRow](f"guesses\n{lowest}-{highest}", lambda row: score_bars(row, lowest, highest))
    yield make_table(rows, (RANK, PLAYER, CLIENT, *FIGURES, histogram), title)
    yield make_table(rows, (RANK, PLAYER, *FIGURES, histogram), title, close=True)
    for figures in range(len(FIGURES), 1, -1):
        yield make_table(rows, (RANK, PLAYER, *FIGURES[:figures]), title, close=True)
    yield make_table(rows, (PLAYER, FIGURES[1]), title, close=True)


def _title(standing: Standing) -> str:
    ladder = standing.ladder
    return f"{ladder.id}: {ladder.rules}, {ladder.codemaker} codemaker, at most {ladder.guess_limit} guesses"


def _rank(row: LeaderboardRow) -> str:
    """Return the rank and, if the intervals leave several ranks possible, the range of these."""
    if row.rank is None:
        return "-"
    return str(row.rank) if row.rank == row.rank_worst else f"{row.rank} ({row.rank}-{row.rank_worst})"


def _interval(row: LeaderboardRow) -> str:
    return "" if row.low is None or row.high is None else f"{row.low:.2f}-{row.high:.2f}"


def score_bars(row: LeaderboardRow, lowest: int, highest: int) -> str:
    """Return a bar for each score from ``lowest`` to ``highest``."""
    counts = dict(row.histogram)
    return small_bars([counts.get(score, 0) for score in range(lowest, highest + 1)])


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
"""On a narrow terminal the last columns are left out first."""
