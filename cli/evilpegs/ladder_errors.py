"""Errors about a ladder that the user named."""

from collections.abc import Iterable

from evilpegs.errors import CommandError
from evilpegs_protocol.suggestions import unknown_ladder_text


def unknown_ladder(ladder: str, known: Iterable[str], server: str | None = None) -> CommandError:
    """Return the error that there is no ladder with the id ``ladder``; its message names the most similar ids.

    ``known`` has the ids that the user may name. ``server`` is the URL of the server that was asked for its ladders, or
    None if none was asked.
    """
    where, option = ("", "") if server is None else (f" on {server}", f" --server {server}")
    return CommandError(f"{unknown_ladder_text(ladder, known, where)}; see: evilpegs ladders{option}")


def practice_ladder(ladder: str, server: str | None = None) -> CommandError:
    """Return the error that a practice ladder has no leaderboard, with the command that lists rated ladders.

    ``ladder`` is the id of the ladder. ``server`` is the URL of the server that has it, or None if no server was asked.
    """
    option = "" if server is None else f" --server {server}"
    message = f"{ladder} is for practice and has no leaderboard; name a rated ladder, see: evilpegs ladders{option}"
    return CommandError(message)
