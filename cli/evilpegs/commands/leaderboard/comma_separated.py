"""Comma-separated values for spreadsheets, and leaderboards as such."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any, Final

from evilpegs_clients.printable import printable
from evilpegs_protocol.standings import Standings, StandingsRow

FIGURES: Final = ("games", "mean", "low", "high", "worst", "solved", "p95_ms", "mean_ms")
# added by later versions; they follow the histogram, so that the older columns keep their places
LATER_FIGURES: Final = (
    *("solved_low", "solved_high", "adjusted_mean", "adjusted_low", "adjusted_high", "adjusted_deviation"),
    *("adjusted_games", "version", "versions", "all_games", "all_matches", "kind", "place", "undecided"),
)
ROW_COLUMNS: Final = ("ladder", "rank", "rank_worst", "player", "client", *FIGURES, "histogram", *LATER_FIGURES)
# a client chooses its own name, and spreadsheets execute formulas, which begin with these
FORMULA_SIGNS: Final = ("=", "+", "-", "@")


def write_rows(file: IO[str], standings: Iterable[Standings]) -> None:
    rows = (_row_cells(each.ladder, row) for each in standings for row in each.rows)
    write_table(file, ROW_COLUMNS, rows)


def write_table(file: IO[str], columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)


def _row_cells(ladder: str, row: StandingsRow) -> Iterator[Any]:
    yield from (ladder, row.rank, row.rank_worst, row.player, row.client)
    yield from (getattr(row, name) for name in FIGURES)
    yield " ".join(f"{score}:{games}" for score, games in row.histogram)
    yield from (getattr(row, name) for name in LATER_FIGURES)


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    safe = printable(value)
    return f"'{safe}" if safe.startswith(FORMULA_SIGNS) else safe
