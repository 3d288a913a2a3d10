"""The table of a leaderboard, with as many columns as fit on the terminal, and a legend below it.

The program that a player uses is more interesting than any figure beyond the first three, so the column of clients
stays when other columns are left out.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.text import Text

from evilpegs.output import Column, fit_table, pluralize, print_table, small_bars
from evilpegs_clients.printable import printable
from evilpegs_protocol.standings import Standings, StandingsRow

NO_GAMES: Final = "no rated games yet; begin with: evilpegs bot minimax"


def show_standings(out: Console, standings: Sequence[Standings]) -> None:
    """Print the table of each leaderboard, and then the legend."""
    shown = [each for each in standings if each.rows]
    if not shown:
        out.print(NO_GAMES)
    for index, each in enumerate(shown):
        if index:
            out.print()
        print_table(out, each.rows, _columns(each), _title(each))
    lines = legend(shown)
    if lines:
        out.print()
    for line in lines:
        out.print(line, style="dim")


def standings_view(out: Console, standings: Sequence[Standings]) -> RenderableType:
    """Return the output of `show_standings` as one object that `rich` can draw repeatedly."""
    shown = [each for each in standings if each.rows]
    parts: list[RenderableType] = [] if shown else [NO_GAMES]
    for each in shown:
        parts += [fit_table(out, each.rows, _columns(each), _title(each))[0], ""]
    return Group(*parts, *(Text(line, "dim") for line in legend(shown)))


def legend(shown: Sequence[Standings]) -> list[str]:
    """Return the lines that explain signs and columns in these leaderboards."""
    rows = [row for standings in shown for row in standings.rows]
    lines = [
        f"{_rank(row)}: rank {row.rank}, and the intervals leave ranks up to {row.rank_worst} possible"
        for row in rows
        if row.rank != row.rank_worst
    ][:1]
    if any(is_adjusted(standings) for standings in shown):
        lines.append("adjusted: the mean without the luck of the feedback, by which these ladders are ranked")
    if any(_older_games(row) for row in rows):
        lines.append("+: games with older versions of the client, which do not count")
    if any(row.rank is None for row in rows):
        lines.append("-: no rank yet; it takes 100 games against a fixed codemaker, 20 against evil or a devil")
    return lines


def is_adjusted(standings: Standings) -> bool:
    """Return True if some row has a luck-adjusted mean."""
    return any(row.adjusted_mean is not None for row in standings.rows)


def _columns(standings: Standings) -> list[Column[StandingsRow]]:
    scores = [score for row in standings.rows for score, _ in row.histogram]
    lowest, highest = min(scores), max(scores)
    histogram: Column[StandingsRow] = Column(
        f"guesses\n{lowest}-{highest}", lambda row: score_bars(row, lowest, highest), narrow={1: None}
    )
    figures = ADJUSTED_FIGURES if is_adjusted(standings) else FIGURES
    return [RANK, PLAYER, CLIENT, GAMES, *figures, *OTHERS, histogram]


def _short_client(width: int) -> Callable[[StandingsRow], str]:
    return lambda row: shorten_client(printable(row.client), width)


def shorten_client(client: str, width: int) -> str:
    """Cut the end of a client's name; a version that is longer than half of ``width`` is cut too."""
    if len(client) <= width:
        return client
    version = client.rpartition(" ")[2][: width // 2]
    return f"{client[: width - len(version) - 2]}… {version}"


def _title(standings: Standings) -> str:
    limit = pluralize(standings.guess_limit, "guess", "guesses")
    return f"{standings.ladder}: {printable(standings.rules)}, {standings.codemaker} codemaker, at most {limit}"


def _rank(row: StandingsRow) -> str:
    if row.rank is None:
        return "-"
    return str(row.rank) if row.rank == row.rank_worst else f"{row.rank} ({row.rank}-{row.rank_worst})"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.2f}-{high:.2f}"


def _games(row: StandingsRow) -> str:
    older = _older_games(row)
    return f"{row.games:,} +{older:,}" if older else f"{row.games:,}"


def _older_games(row: StandingsRow) -> int:
    return 0 if row.all_games is None else row.all_games - row.games


def _adjusted_mean(row: StandingsRow) -> str:
    return "" if row.adjusted_mean is None else f"{row.adjusted_mean:.3f}"


def score_bars(row: StandingsRow, lowest: int, highest: int) -> str:
    """Return one bar per score, in proportion to the games that had it."""
    counts = dict(row.histogram)
    return small_bars([counts.get(score, 0) for score in range(lowest, highest + 1)])


RANK: Final = Column("rank", _rank, "right", narrow={12: None})
PLAYER: Final = Column[StandingsRow]("player", lambda row: row.player, style="bold")
CLIENT: Final = Column[StandingsRow](
    "client",
    lambda row: printable(row.client),
    narrow={7: _short_client(24), 8: _short_client(18), 9: _short_client(12), 10: None},
)
GAMES: Final = Column("games", _games, "right", narrow={12: None})
MEAN: Final = Column[StandingsRow]("mean", lambda row: f"{row.mean:.3f}", "right")
INTERVAL: Final = Column[StandingsRow](
    "95 %\ninterval", lambda row: _interval(row.low, row.high), "right", narrow={11: None}
)
FIGURES: Final = (MEAN, INTERVAL)
# the adjusted mean comes first because it decides the ranks
ADJUSTED_FIGURES: Final = (
    Column("adjusted\nmean", _adjusted_mean, "right"),
    Column[StandingsRow](
        "95 %\ninterval", lambda row: _interval(row.adjusted_low, row.adjusted_high), "right", narrow={11: None}
    ),
    replace(MEAN, narrow={6: None}),
    replace(INTERVAL, narrow={5: None}),
)
OTHERS: Final = (
    Column[StandingsRow]("worst", lambda row: str(row.worst), "right", narrow={4: None}),
    Column[StandingsRow]("solved", lambda row: f"{row.solved:.0%}", "right", narrow={3: None}),
    Column[StandingsRow]("p95\nms", lambda row: f"{row.p95_ms:,}", "right", narrow={2: None}),
)


CSV_FIGURES: Final = ("games", "mean", "low", "high", "worst", "solved", "p95_ms", "mean_ms")
# added by later versions; they follow the histogram, so that the older columns keep their places
LATER_CSV_FIGURES: Final = (
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
CSV_HEADER: Final = ("ladder", "rank", "rank_worst", "player", "client", *CSV_FIGURES, "histogram", *LATER_CSV_FIGURES)
# a client chooses its own name, and spreadsheets execute formulas, which begin with these
FORMULA_SIGNS: Final = ("=", "+", "-", "@")


def csv_text(standings: Iterable[Standings]) -> str:
    """Return leaderboards as CSV; the column ``histogram`` has ``SCORE:GAMES`` pairs."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(CSV_HEADER)
    writer.writerows(_csv_row(each.ladder, row) for each in standings for row in each.rows)
    return text.getvalue()


def _csv_row(ladder: str, row: StandingsRow) -> Iterator[Any]:
    yield from (ladder, row.rank, row.rank_worst, row.player, _csv_cell(row.client))
    yield from (getattr(row, name) for name in CSV_FIGURES)
    yield " ".join(f"{score}:{games}" for score, games in row.histogram)
    yield from (getattr(row, name) for name in LATER_CSV_FIGURES)


def _csv_cell(text: str) -> str:
    safe = printable(text)
    return f"'{safe}" if safe.startswith(FORMULA_SIGNS) else safe
