"""The command `evilpegs leaderboard`."""

import shlex
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Final

from cyclopts import Parameter

from evilpegs.commands.leaderboard.between import Difference, compare_rows, difference_lines
from evilpegs.commands.leaderboard.csv_text import csv_text
from evilpegs.commands.leaderboard.from_server import fetch_standings
from evilpegs.commands.leaderboard.refresh import show_refreshed
from evilpegs.commands.leaderboard.table import show_standings
from evilpegs.errors import CommandError
from evilpegs.interruptible import run_interruptibly
from evilpegs.options import Database, Json, ServerToRead, server_to_read
from evilpegs.output import console, print_json
from evilpegs.reading import server_reader
from evilpegs_protocol.listings import Standings

SHORTEST_REFRESH: Final = 0.5
LONGEST_REFRESH: Final = 86_400.0  # seconds: a day


def leaderboard(
    ladder: Annotated[
        str | None, Parameter(help="The id of a rated ladder; by default every one that has rated games.")
    ] = None,
    *,
    server: ServerToRead = None,
    database: Database = None,
    between: Annotated[
        tuple[str, str] | None,
        Parameter(help="Compare two players on the ladder: how sure the difference is, and what would settle it."),
    ] = None,
    refresh: Annotated[
        float | None,
        Parameter(help="The seconds after which the table is read again; it stays on the screen until Ctrl-C."),
    ] = None,
    as_csv: Annotated[
        bool, Parameter(name="--csv", show_default=False, help="Print comma-separated values with raw numbers.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the leaderboards of a database or of a running server.

    A player is ranked with the latest version of their client. A game that was not solved counts as one guess more
    than the limit. Most ladders with a fixed codemaker are ranked by the luck-adjusted mean: the guesses per game
    without the luck of the feedback. The intervals hold at 95 % however often one looks. A rank needs 100 games, or 20
    against evil or a devil; the ranks that the intervals leave possible are shown beside it. A match whose record was
    changed does not count. docs/scoring.md explains all of it.
    """
    _check_form(refresh, as_csv, as_json)
    if between is not None:
        _check_between(ladder, refresh, as_csv, _source(server, database))
    chosen = server_to_read(server, database)
    if refresh is not None:
        run_interruptibly(show_refreshed(chosen, database, ladder, refresh))
        return
    standings = run_interruptibly(_load(database, ladder) if chosen is None else _fetch(chosen, ladder))
    if between is not None:
        _show_difference(compare_rows(standings[0], between, _source(server, database)), as_json=as_json)
    elif as_json:
        print_json({"ladders": [_to_json(each) for each in standings]})
    elif as_csv:
        sys.stdout.write(csv_text(standings))
    else:
        show_standings(console(), standings)


def _to_json(standings: Standings) -> dict[str, Any]:
    # the excluded fields concern only the protocol message
    return standings.model_dump(mode="json", exclude={"type", "re", "page", "pages"})


def _check_form(refresh: float | None, as_csv: bool, as_json: bool) -> None:
    if as_csv and as_json:
        raise CommandError("--csv and --json both write to standard output; choose one")
    if refresh is not None and (as_csv or as_json):
        raise CommandError(f"--refresh is for people and {'--csv' if as_csv else '--json'} for programs; choose one")
    if refresh is not None and not SHORTEST_REFRESH <= refresh <= LONGEST_REFRESH:
        raise CommandError(
            f"--refresh must be between {SHORTEST_REFRESH:g} and {LONGEST_REFRESH:,.0f} seconds, not {refresh:g}"
        )


def _source(server: str | None, database: str | None) -> list[str]:
    named = {"--server": server, "--database": database}
    return [word for option, value in named.items() if value is not None for word in (option, value)]


def _check_between(ladder: str | None, refresh: float | None, as_csv: bool, source: Sequence[str]) -> None:
    if ladder is None:
        command = " ".join(("evilpegs leaderboard LADDER --between A B", shlex.join(source))).strip()
        raise CommandError(f"--between compares two players on one ladder; name it: {command}")
    if refresh is not None or as_csv:
        raise CommandError(f"--between cannot be combined with {'--csv' if as_csv else '--refresh'}")


def _show_difference(result: Difference, *, as_json: bool) -> None:
    if as_json:
        print_json(result.to_json())
    else:
        for line in difference_lines(result):
            console().print(line, soft_wrap=True)


async def _load(database: str | None, ladder: str | None) -> list[Standings]:
    from evilpegs.commands.leaderboard.from_database import load_standings  # noqa: PLC0415 - needs the extra `server`
    from evilpegs.database import open_for_reading  # noqa: PLC0415 - needs the extra `server`

    with open_for_reading(database) as engine:
        return await load_standings(engine, ladder)


async def _fetch(server: str, ladder: str | None) -> list[Standings]:
    async with server_reader(server) as reader:
        return await fetch_standings(reader, ladder)
