"""Leaderboards as comma-separated values (RFC 4180), with raw numbers."""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any, Final

from evilpegs_clients.printable import printable
from evilpegs_protocol.listings import Standings, StandingsRow

FIGURES: Final = ("games", "mean", "low", "high", "worst", "solved", "p95_ms", "mean_ms")
# added by later versions; they follow the histogram, so that the older columns keep their places
LATER_FIGURES: Final = (
    "solved_low",
    "solved_high",
    "adjusted_mean",
    "adjusted_low",
    "adjusted_high",
    "adjusted_deviation",
    "adjusted_games",
    "version",
    "versions",
    "all_games",
    "all_matches",
)
HEADER: Final = ("ladder", "rank", "rank_worst", "player", "client", *FIGURES, "histogram", *LATER_FIGURES)
# a client chooses its own name, and spreadsheets execute formulas, which begin with these
FORMULA_SIGNS: Final = ("=", "+", "-", "@")


def csv_text(standings: Iterable[Standings]) -> str:
    """Return leaderboards as CSV; the column ``histogram`` has ``SCORE:GAMES`` pairs."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(HEADER)
    writer.writerows(_cells(each.ladder, row) for each in standings for row in each.rows)
    return text.getvalue()


def _cells(ladder: str, row: StandingsRow) -> Iterator[Any]:
    yield from (ladder, row.rank, row.rank_worst, row.player, _text(row.client))
    yield from (getattr(row, name) for name in FIGURES)
    yield " ".join(f"{score}:{games}" for score, games in row.histogram)
    yield from (getattr(row, name) for name in LATER_FIGURES)


def _text(text: str) -> str:
    safe = printable(text)
    return f"'{safe}" if safe.startswith(FORMULA_SIGNS) else safe
