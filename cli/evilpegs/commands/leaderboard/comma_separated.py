"""Comma-separated values for spreadsheets, and leaderboards as such."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from itertools import chain, repeat
from typing import IO, Any, Final

from evilpegs.files import write_csv_rows
from evilpegs_protocol.leaderboard import LeaderboardDocument, LeaderboardRow

_FIELDS: Final = [field.name for field in fields(LeaderboardRow)]
_LATER: Final = _FIELDS.index("undecided")
# programs find the columns of older versions at their places
ROW_COLUMNS: Final = tuple(
    dict.fromkeys(("ladder", "rank", "rank_worst", "player", "client", *_FIELDS[:_LATER], "place", *_FIELDS[_LATER:]))
)


def write_rows(file: IO[str], standings: Iterable[LeaderboardDocument]) -> None:
    rows = (
        _row_cells(row, {"ladder": each.ladder, "place": place})
        for each in standings
        for row, place in zip(each.rows, chain(each.places, repeat(None)), strict=False)
    )
    write_table(file, ROW_COLUMNS, rows)


def write_table(file: IO[str], columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
    write_csv_rows(file, chain([columns], rows), "\r\n")


def _row_cells(row: LeaderboardRow, others: dict[str, Any]) -> list[Any]:
    values = asdict(row) | others
    values["histogram"] = " ".join(f"{score}:{games}" for score, games in row.histogram)
    return [values[column] for column in ROW_COLUMNS]
