"""Comma-separated values for spreadsheets, and leaderboards as such."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import IO, Any, Final

from evilpegs.files import write_csv_rows
from evilpegs_protocol.standings import Standings, StandingsRow

FIGURES: Final = ("games", "mean", "low", "high", "worst", "solved", "p95_ms", "mean_ms")
# added by later versions; they follow the histogram, so that the older columns keep their places
LATER_FIGURES: Final = (
    *("solved_low", "solved_high", "adjusted_mean", "adjusted_low", "adjusted_high", "adjusted_deviation"),
    *("adjusted_games", "version", "versions", "all_games", "all_matches", "kind", "place", "undecided"),
    *("score", "placed"),
)
ROW_COLUMNS: Final = ("ladder", "rank", "rank_worst", "player", "client", *FIGURES, "histogram", *LATER_FIGURES)


def write_rows(file: IO[str], standings: Iterable[Standings]) -> None:
    rows = (_row_cells(each.ladder, row) for each in standings for row in each.rows)
    write_table(file, ROW_COLUMNS, rows)


def write_table(file: IO[str], columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
    write_csv_rows(file, chain([columns], rows), "\r\n")


def _row_cells(ladder: str, row: StandingsRow) -> Iterator[Any]:
    yield from (ladder, row.rank, row.rank_worst, row.player, row.client)
    yield from (getattr(row, name) for name in FIGURES)
    yield " ".join(f"{score}:{games}" for score, games in row.histogram)
    yield from (getattr(row, name) for name in LATER_FIGURES)
