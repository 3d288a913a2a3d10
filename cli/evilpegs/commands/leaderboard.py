"""`evilpegs leaderboard`: who is better, and by how much."""

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from evilpegs.options import Database, Json
from evilpegs.output import console, print_json

if TYPE_CHECKING:
    from evilpegs.standings import Standing


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
    from evilpegs.database import reading
    from evilpegs.standings import standings

    with reading(database) as engine:
        found = standings(engine, ladder)
    if as_json:
        print_json({"ladders": [_document(standing) for standing in found]})
    else:
        _show(found)


def _document(standing: "Standing") -> dict[str, Any]:
    from dataclasses import asdict

    ladder = standing.ladder
    return {
        "ladder": ladder.id,
        "rules": str(ladder.rules),
        "codemaker": ladder.codemaker,
        "guess_limit": ladder.guess_limit,
        "rows": [asdict(row) for row in standing.rows],
    }


def _show(found: "list[Standing]") -> None:
    from evilpegs.standings_table import show_standings

    show_standings(console(), found)
