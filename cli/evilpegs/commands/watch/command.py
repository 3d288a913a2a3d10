"""The command `evilpegs watch`."""

import re
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.commands.feed.follow import print_watched
from evilpegs.commands.watch.boards import MAX_BOARDS
from evilpegs.commands.watch.screen import show_watched
from evilpegs.errors import CommandError
from evilpegs.interruptible import run_interruptibly
from evilpegs.options import DEFAULT_SERVER, Server
from evilpegs.output import can_redraw, console
from evilpegs_clients.feed.watch_feed import Watched
from evilpegs_game.errors import quoted

_MATCH: Final = re.compile(r"[0-9a-f]{16}")
# texts that are meant as the id of a match, because no ladder has an id of hex digits alone
_LIKE_MATCH: Final = re.compile(r"(?=.*[0-9])[0-9a-f]+")


def watch(
    watched: Annotated[
        str | None,
        Parameter(
            name="LADDER|MATCH", help="The id of a ladder or of a match; by default matches on every ladder are shown."
        ),
    ] = None,
    /,
    *,
    server: Server = DEFAULT_SERVER,
    as_json: Annotated[
        bool, Parameter(name="--json", show_default=False, help="Print each event as one line of JSON.")
    ] = False,
) -> None:
    """Watch matches as they are played, until Ctrl-C; a single match until it is over.

    In a terminal each match is a board that changes as it is played. Elsewhere each guess is printed as a line. A lost
    connection is restored.
    """
    target = _find_target(watched)
    out = console()
    if can_redraw(out) and not as_json:
        run_interruptibly(show_watched(server, target, out))
    else:
        run_interruptibly(print_watched(server, target, as_json))


def _find_target(text: str | None) -> Watched:
    if text is not None and _MATCH.fullmatch(text.lower()):
        return Watched(match=text.lower())
    if text is not None and _LIKE_MATCH.fullmatch(text.lower()):
        raise CommandError(f"not the id of a match: {quoted(text)}; write its 16 hex digits, or the id of a ladder")
    return Watched(ladder=text, pasts=MAX_BOARDS)
