"""The errors about a ladder that the user named."""

from collections.abc import Iterable

from evilpegs.errors import CommandError
from evilpegs_protocol.suggestions import unknown_ladder_text


def unknown_ladder(ladder: str, known: Iterable[str], server: str | None = None) -> CommandError:
    """Return the error that there is no such ladder, with the nearest known ones; ``server`` is the URL of a server."""
    where, option = ("", "") if server is None else (f" on {server}", f" --server {server}")
    return CommandError(f"{unknown_ladder_text(ladder, known, where)}; see: evilpegs ladders{option}")


def practice_ladder(ladder: str, server: str | None = None) -> CommandError:
    """Return the error that a ladder is for practice, and the command that lists those that are not."""
    option = "" if server is None else f" --server {server}"
    message = f"{ladder} is for practice and has no leaderboard; name a rated ladder, see: evilpegs ladders{option}"
    return CommandError(message)
