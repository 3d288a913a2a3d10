"""The table of a leaderboard, with as many columns as fit on the terminal, and a legend below it."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.text import Text

from evilpegs.output import Column, fit_table, pluralize, small_bars
from evilpegs_clients.printable import printable
from evilpegs_game.rules import Rules
from evilpegs_protocol.leaderboard import LeaderboardDocument, LeaderboardRow

NOT_DECIDED: Final = "not decided yet:"
NO_RANK: Final = "no rank yet:"
FEW_GAMES: Final = "few games yet:"
NO_GAMES: Final = "no rated games to show; begin with: evilpegs bot"
LARGE: Final = 1_000_000  # codes; most strategies consider every one
_Line = LeaderboardRow | str  # a row, or the heading of a group of rows


def show_standings(out: Console, standings: Sequence[LeaderboardDocument]) -> None:
    # where the narrowest table is too wide, the terminal breaks its lines
    out.print(standings_view(out, standings, is_cut=False), crop=False)


def standings_view(out: Console, standings: Sequence[LeaderboardDocument], *, is_cut: bool = True) -> RenderableType:
    """Return the tables and the legend; with ``is_cut``, nothing is wider than the terminal."""
    shown = [each for each in standings if each.rows]
    parts: list[RenderableType] = [] if shown else [f"{NO_GAMES} {_first_bot(standings)}"]
    for each in shown:
        table, needed = fit_table(out, _grouped(each.rows), _columns(each), _title(each))
        table.width = None if is_cut else needed
        parts += [table, ""]
    return Group(*parts, *(Text(line, "dim") for line in legend(shown)))


def _first_bot(standings: Sequence[LeaderboardDocument]) -> str:
    if len(standings) == 1 and Rules.parse(standings[0].rules).size > LARGE:
        return f"sampled --ladder {standings[0].ladder}"
    return "minimax"


def legend(shown: Sequence[LeaderboardDocument]) -> list[str]:
    rows = [row for standings in shown for row in standings.rows]
    lines = [
        f"{_rank(row)}: not decided: any rank from {row.rank} to {row.rank_worst} is possible; more games may decide"
        for row in rows
        if row.rank != row.rank_worst
    ][:1]
    lines += _numbers_of_games(shown)
    if any(is_adjusted(standings) for standings in shown):
        lines.append("adjusted: the mean without the luck of the feedback, by which these ladders are ranked")
    if any(_older_games(row) for row in rows):
        lines.append("+: games with older versions of the client, which do not count")
    if rows:
        lines.append("self-reported: what a program says about itself; nobody checks it")
    return lines


def _numbers_of_games(shown: Sequence[LeaderboardDocument]) -> Iterator[str]:
    headings = [(_heading(row), row, standings) for standings in shown for row in standings.rows]
    placed = [(row, standings) for heading, row, standings in headings if heading == NO_RANK]
    ladders: defaultdict[int | None, list[str]] = defaultdict(list)
    for ladder, needed in {standings.ladder: standings.ranked_from for _, standings in placed}.items():
        ladders[needed].append(ladder)
    if placed and None not in ladders:
        row, standings = placed[0]
        takes = [f"{needed} games on {', '.join(names)}" for needed, names in ladders.items()]
        rank = _rank(row, _places(standings).get(row.player))
        yield f"{rank}: provisional, below all ranked rows; a rank takes {' and '.join(takes)}"
    for fewest in sorted({standings.placed_from or 0 for heading, _, standings in headings if heading == FEW_GAMES}):
        yield f"-: fewer than {fewest} games, too few for a place; most games first"


def is_adjusted(standings: LeaderboardDocument) -> bool:
    return any(row.adjusted_mean is not None for row in standings.rows)


def _grouped(rows: Sequence[LeaderboardRow]) -> list[_Line]:
    lines: list[_Line] = []
    for heading, group in groupby(rows, key=_heading):
        lines += [heading] if heading else []
        lines += group
    return lines


def _heading(row: LeaderboardRow) -> str:
    if row.rank is None:
        return FEW_GAMES if row.placed is False else NO_RANK
    return "" if row.rank == row.rank_worst else NOT_DECIDED


def _headed(column: Column[LeaderboardRow]) -> Column[_Line]:
    # in the line of a heading, the cell of the player has its words, and all others are empty
    def of_line(cell: Callable[[LeaderboardRow], str | Text] | None) -> Callable[[_Line], str | Text] | None:
        heading = (lambda line: Text(line, "dim not bold")) if column is PLAYER else (lambda _: "")
        return None if cell is None else lambda line: heading(line) if isinstance(line, str) else cell(line)

    narrow = {step: of_line(cell) for step, cell in column.narrow.items()}
    return Column(column.heading, of_line(column.cell), column.justify, column.style, narrow)


def _columns(standings: LeaderboardDocument) -> list[Column[_Line]]:
    scores = [score for row in standings.rows for score, _ in row.histogram]
    lowest, highest = min(scores), max(scores)
    histogram: Column[LeaderboardRow] = Column(
        f"guesses\n{lowest}-{highest}", lambda row: score_bars(row, lowest, highest), narrow={1: None}
    )
    places = _places(standings)
    rank: Column[LeaderboardRow] = Column(
        "rank", lambda row: _rank(row, places.get(row.player)), "right", narrow={12: None}
    )
    figures = ADJUSTED_FIGURES if is_adjusted(standings) else FIGURES
    kind = [] if all(row.kind in {None, "bot"} for row in standings.rows) else [KIND]
    return [_headed(each) for each in (rank, PLAYER, *kind, CLIENT, GAMES, *figures, *OTHERS, histogram)]


def _short_client(width: int) -> Callable[[LeaderboardRow], str]:
    return lambda row: shorten_client(printable(row.client), width)


def shorten_client(client: str, width: int) -> str:
    if len(client) <= width:
        return client
    version = client.rpartition(" ")[2][: width // 2]
    return f"{client[: width - len(version) - 2]}… {version}"


def _title(standings: LeaderboardDocument) -> str:
    limit = pluralize(standings.guess_limit, "guess", "guesses")
    return f"{standings.ladder}: {printable(standings.rules)}, {standings.codemaker} codemaker, at most {limit}"


def _places(standings: LeaderboardDocument) -> dict[str, int]:
    # an older server sends no places
    return {row.player: place for row, place in zip(standings.rows, standings.places, strict=False)}


def _rank(row: LeaderboardRow, place: int | None = None) -> str:
    if row.rank is None:
        return "-" if place is None or row.placed is False else f"({place})"
    return str(row.rank) if row.rank == row.rank_worst else f"{row.rank} ({row.rank}-{row.rank_worst})"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.2f}-{high:.2f}"


def _games(row: LeaderboardRow) -> str:
    older = _older_games(row)
    return f"{row.games:,} +{older:,}" if older else f"{row.games:,}"


def _older_games(row: LeaderboardRow) -> int:
    return 0 if row.all_games is None else row.all_games - row.games


def _mean(row: LeaderboardRow, mean: float | None) -> str:
    if mean is None:
        return ""
    return f"({mean:.3f})" if row.rank is None else f"{mean:.3f}"


def score_bars(row: LeaderboardRow, lowest: int, highest: int) -> str:
    counts = dict(row.histogram)
    return small_bars([counts.get(score, 0) for score in range(lowest, highest + 1)])


PLAYER: Final = Column[LeaderboardRow]("player", lambda row: row.player, style="bold")
# only where not all are bots
KIND: Final = Column[LeaderboardRow]("kind", lambda row: row.kind or "", narrow={6: None})
# more interesting than any figure beyond the first three, so it stays when other columns are left out
CLIENT: Final = Column[LeaderboardRow](
    "client\n(self-reported)",
    lambda row: printable(row.client),
    narrow={7: _short_client(24), 8: _short_client(16), 9: _short_client(12), 10: None},
)
GAMES: Final = Column("games", _games, "right", narrow={12: None})
MEAN: Final = Column[LeaderboardRow]("mean", lambda row: _mean(row, row.mean), "right")
INTERVAL: Final = Column[LeaderboardRow](
    "95 %\ninterval", lambda row: _interval(row.low, row.high), "right", narrow={11: None}
)
FIGURES: Final = (MEAN, INTERVAL)
# the adjusted mean comes first because it decides the ranks
ADJUSTED_FIGURES: Final = (
    Column[LeaderboardRow]("adjusted\nmean", lambda row: _mean(row, row.adjusted_mean), "right"),
    Column[LeaderboardRow](
        "95 %\ninterval", lambda row: _interval(row.adjusted_low, row.adjusted_high), "right", narrow={11: None}
    ),
    replace(MEAN, narrow={6: None}),
    replace(INTERVAL, narrow={5: None}),
)
OTHERS: Final = (
    Column[LeaderboardRow]("worst", lambda row: str(row.worst), "right", narrow={4: None}),
    Column[LeaderboardRow]("solved", lambda row: f"{row.solved:.0%}", "right", narrow={3: None}),
    Column[LeaderboardRow]("p95\nms", lambda row: f"{row.p95_ms:,}", "right", narrow={2: None}),
)
