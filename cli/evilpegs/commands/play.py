"""`evilpegs play`: a person plays at the terminal."""

import asyncio
import sys
from typing import Annotated

from cyclopts import Parameter

from evilpegs.errors import CommandError
from evilpegs.options import DEFAULT_SERVER, Server, TokenFrom
from evilpegs.output import console
from evilpegs.play_options import check_play_options
from evilpegs_clients.terminal.app import run_terminal


def play(
    *,
    ladder: Annotated[
        str, Parameter(help="The id of the ladder to play on; see: evilpegs ladders. Rated ones want a --name.")
    ] = "classic-practice",
    server: Server = DEFAULT_SERVER,
    name: Annotated[
        str | None, Parameter(help="Your name, claimed when it is new; by default you are a guest.")
    ] = None,
    token_from: TokenFrom = None,
) -> None:
    """Play a match yourself.

    Type a code, or help for the words. Practice ladders have no clock, give hints, and show how many codes each
    reply leaves; try --ladder classic-evil-practice. Leaving does not resign: come back under the same name.
    """
    if sys.stdin is None:
        message = "there is nowhere to read guesses from; run it in a terminal, or leave standard input open"
        raise CommandError(message)
    check_play_options(ladder, name)
    if token_from is not None and name is None:
        message = "--token-from is for a player with a name; add --name"
        raise CommandError(message)
    asyncio.run(run_terminal(server=server, ladder=ladder, name=name, token_from=token_from, console=console()))
