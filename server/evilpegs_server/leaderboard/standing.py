"""How many games a row of a leaderboard needs for a place, and for a rank."""

from typing import Final

from evilpegs_protocol.fields import Codemaker
from evilpegs_protocol.server_messages import PlayerKind

# fewer games say too little: docs/scoring.md has the figures
PLACED_FROM: Final = 10
RANKED_FROM: Final = 20
# a bot plays them in a moment, and their intervals are narrow enough to tell good bots apart
RANKED_FROM_FIXED: Final = 100


def games_for_rank(codemaker: Codemaker, kind: PlayerKind | None = None) -> int:
    """Return the games that a rank takes on a ladder, which may be for one ``kind`` of players only."""
    return RANKED_FROM_FIXED if codemaker == "fixed" and kind != "human" else RANKED_FROM
