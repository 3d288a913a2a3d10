"""What is played in a sealed round is shown to nobody but its player until the last game has ended.

What that means for a match is decided here and nowhere else: whether others see it, whether counts have it, and whether
its replies are computed apart. Nobody can seal the file itself, or a backup.
"""

from collections.abc import Iterable
from typing import Final

from evilpegs_server.match.ladders import Ladder

UNSEALED: Final = "m.ladder NOT IN (SELECT id FROM rounds WHERE sealed AND published IS NULL)"
"""Condition for the row ``m`` of `matches`: the round in which it is played is not sealed, or over."""

SHOWN: Final = f"m.player NOT IN (SELECT player FROM hidden) AND {UNSEALED}"  # noqa: S608 - of constants
"""Condition for the row ``m`` of `matches`: others may see it, its events and its games."""


def is_counted(ladder: Ladder) -> bool:
    """Return False where a count would tell how far somebody is."""
    return not ladder.sealed


def is_withheld(*, sealed: bool, is_over: bool) -> bool:
    """Return True while nothing of a round may be written down for others."""
    return sealed and not is_over


def runs_apart(ladder: Ladder) -> bool:
    """Return True where a reply may use no cache that others use, or a fast one would tell what was guessed."""
    return ladder.sealed


def hides_metrics(ladders: Iterable[Ladder]) -> bool:
    """Return True where times and sizes of what all matches share would tell that somebody plays."""
    return any(ladder.sealed for ladder in ladders)
