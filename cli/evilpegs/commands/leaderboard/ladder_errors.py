"""The refusal of a ladder that has no leaderboard."""

from collections.abc import Iterable
from difflib import get_close_matches

from evilpegs.errors import CommandError


def unknown_ladder(ladder: str, known: Iterable[str], listing: str) -> CommandError:
    """Return the error that there is no such ladder; ``listing`` is the command that lists the known ones."""
    close = get_close_matches(ladder, list(known), n=1)
    hint = f"did you mean {close[0]}?" if close else f"see: {listing}"
    return CommandError(f"there is no ladder {ladder[:40]!r}; {hint}")


def practice_ladder(ladder: str, listing: str) -> CommandError:
    """Return the error that a ladder is for practice."""
    return CommandError(f"{ladder} is for practice and has no leaderboard; see: {listing}")
