"""The command `evilpegs leaderboard`."""

import sys
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.commands.leaderboard.csv_text import csv_text
from evilpegs.commands.leaderboard.from_server import fetch_standings
from evilpegs.commands.leaderboard.refresh import show_refreshed
from evilpegs.commands.leaderboard.table import show_standings, standings_document
from evilpegs.errors import CommandError
from evilpegs.interruptible import run_interruptibly
from evilpegs.options import Database, Json, ServerToRead, server_to_read
from evilpegs.output import console, print_json
from evilpegs.reading import server_reader
from evilpegs_protocol.listings import Standings

SHORTEST_REFRESH: Final = 0.5
LONGEST_REFRESH: Final = 86_400.0
"""Seconds; a day."""


def leaderboard(
    ladder: Annotated[
        str | None, Parameter(help="The id of a rated ladder; by default every one that has rated games.")
    ] = None,
    *,
    server: ServerToRead = None,
    database: Database = None,
    refresh: Annotated[
        float | None,
        Parameter(help="Keep the table on the screen and read it again every this many seconds, until Ctrl-C."),
    ] = None,
    as_csv: Annotated[
        bool, Parameter(name="--csv", show_default=False, help="Print comma-separated values with raw numbers.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the leaderboards of a database or of a running server.

    A player is ranked with the latest version of their client. A game that was not solved counts as one guess more
    than the limit. The interval of the mean holds at 95 % however often one looks; a player with fewer than 100
    games on a fixed ladder has no rank yet. Ranks that the intervals leave possible are shown beside the rank. A
    match whose record was changed does not count.
    """
    _check_form(refresh, as_csv, as_json)
    chosen = server_to_read(server, database)
    if refresh is not None:
        run_interruptibly(show_refreshed(chosen, database, ladder, refresh))
        return
    standings = _load(database, ladder) if chosen is None else run_interruptibly(_fetch(chosen, ladder))
    if as_json:
        print_json({"ladders": [standings_document(each) for each in standings]})
    elif as_csv:
        sys.stdout.write(csv_text(standings))
    else:
        show_standings(console(), standings)


def _check_form(refresh: float | None, as_csv: bool, as_json: bool) -> None:
    """Raise CommandError unless the options ask for one form of output."""
    if as_csv and as_json:
        message = "--csv and --json both write to standard output; choose one"
        raise CommandError(message)
    if refresh is not None and (as_csv or as_json):
        message = f"--refresh is for people and {'--csv' if as_csv else '--json'} for programs; choose one"
        raise CommandError(message)
    if refresh is not None and not SHORTEST_REFRESH <= refresh <= LONGEST_REFRESH:
        message = f"--refresh must be between {SHORTEST_REFRESH:g} and {LONGEST_REFRESH:,.0f} seconds, not {refresh:g}"
        raise CommandError(message)


def _load(database: str | None, ladder: str | None) -> list[Standings]:
    from evilpegs.commands.leaderboard.from_database import load_standings  # noqa: PLC0415 - needs the extra `server`
    from evilpegs.database import open_for_reading  # noqa: PLC0415 - needs the extra `server`

    with open_for_reading(database) as engine:
        return load_standings(engine, ladder)


async def _fetch(server: str, ladder: str | None) -> list[Standings]:
    async with server_reader(server) as reader:
        return await fetch_standings(reader, ladder)
