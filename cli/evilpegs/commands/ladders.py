"""`evilpegs ladders`: what is played."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from evilpegs.options import Json
from evilpegs.output import console, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evilpegs_protocol.server_messages import LadderInfo


def ladders(
    *,
    server: Annotated[
        str | None, Parameter(help="Ask the server at ws://HOST:PORT/v1; by default the built-in ladders are listed.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the ladders: rules, codemaker, clock, guess limit and games a match.

    A match on a rated ladder counts on its leaderboard. Practice ladders are untimed and show candidates, parts
    and hints.
    """
    infos = _built_in() if server is None else _offered(server)
    if as_json:
        print_json({"ladders": [info.model_dump(mode="json") for info in infos]})
    else:
        _show(infos)


def _built_in() -> "Sequence[LadderInfo]":
    from evilpegs_server.ladders import load_ladders

    return [ladder.info() for ladder in load_ladders().values()]


def _offered(server: str) -> "Sequence[LadderInfo]":
    import asyncio

    from evilpegs.server_visit import welcome

    return asyncio.run(welcome(server)).ladders


def _show(infos: "Sequence[LadderInfo]") -> None:
    from evilpegs.ladders_table import ladders_tables
    from evilpegs.tables import print_fitting

    print_fitting(console(), ladders_tables(infos))
