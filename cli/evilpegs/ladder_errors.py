from collections.abc import Iterable

from evilpegs.errors import CommandError
from evilpegs_protocol.suggestions import unknown_ladder_text


def unknown_ladder(ladder: str, known: Iterable[str], server: str | None = None) -> CommandError:
    """Return the error that names the most similar of ``known``; ``server`` is the URL that was asked, if any."""
    where, option = ("", "") if server is None else (f" on {server}", f" --server {server}")
    return CommandError(f"{unknown_ladder_text(ladder, known, where)}; see: evilpegs ladders{option}")


def practice_ladder(ladder: str, server: str | None = None) -> CommandError:
    """Return the error that a practice ladder has no leaderboard."""
    option = "" if server is None else f" --server {server}"
    return CommandError(
        f"{ladder} is for practice and has no leaderboard; name a rated ladder, see: evilpegs ladders{option}"
    )
