"""The leaderboard of a ladder: a pure fold over the events of records.

With a fixed codemaker, only the rated games of a player's latest client version count; against an adversary, all rated
games do. An unsolved game counts as one guess more than the limit, even if its match was abandoned. Void games are the
server's fault and are left out.

The interval of the mean is anytime-valid: it holds at 95 % however often one looks and whenever one stops. It is the
asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (Time-uniform central limit
theory and asymptotic confidence sequences, 2021), tuned to be tightest around `TUNED_FOR` games.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, LadderInfo, MatchStarted, RecordEvent

PROVISIONAL: Final = 100
"""The number of games that a row needs for a rank."""
TUNED_FOR: Final = 300
"""The number of games at which the interval is tightest."""
ALPHA: Final = 0.05
"""The probability that the interval ever misses the mean."""
_ALL_VERSIONS: Final = ""


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """The results of one player on one ladder. ``low`` and ``high`` bound the mean; both are None for too few games."""

    player: str
    client: str
    games: int
    mean: float
    low: float | None
    high: float | None
    worst: int
    solved: float
    p95_ms: int
    mean_ms: float
    histogram: tuple[tuple[int, int], ...]
    rank: int | None = None
    rank_worst: int | None = None


@dataclass(slots=True)
class _Tally:
    """The scores of one player with one client version on one ladder."""

    client: str
    last_at: int = 0
    scores: list[int] = field(default_factory=list)
    solved: int = 0
    took_ms: list[int] = field(default_factory=list)


def leaderboard(events: Iterable[RecordEvent], ladder: str) -> list[LeaderboardRow]:
    """Return the rows of ``ladder``, best first. Events of other ladders and of practice are ignored."""
    tallies = _tally(events, ladder)
    evil = any(started.codemaker != "fixed" for started in tallies.started)
    rows = [_row(player, tally) for player, tally in tallies.latest().items()]
    return _rank_exactly(rows) if evil else _rank_by_interval(rows)


def leaderboard_document(info: LadderInfo, rows: Iterable[LeaderboardRow]) -> dict[str, Any]:
    """Return a leaderboard as a JSON object."""
    return {
        "ladder": info.id,
        "rules": info.rules,
        "codemaker": info.codemaker,
        "guess_limit": info.guess_limit,
        "rows": [asdict(row) for row in rows],
    }


class _Tallies:
    def __init__(self) -> None:
        self.started: list[MatchStarted] = []
        self._by_player: defaultdict[str, dict[str, _Tally]] = defaultdict(dict)

    def begin(self, started: MatchStarted) -> _Tally:
        self.started.append(started)
        client = _label(started.client)
        version = client if started.codemaker == "fixed" else _ALL_VERSIONS
        tally = self._by_player[started.player].setdefault(version, _Tally(client))
        if started.at >= tally.last_at:
            tally.last_at, tally.client = started.at, client
        return tally

    def latest(self) -> dict[str, _Tally]:
        """Return each player's tally of the client version they used last, among those with a game that counts."""
        counted = {
            player: [tally for tally in versions.values() if tally.scores]
            for player, versions in self._by_player.items()
        }
        return {
            player: max(versions, key=lambda tally: tally.last_at) for player, versions in counted.items() if versions
        }


def _tally(events: Iterable[RecordEvent], ladder: str) -> _Tallies:
    tallies = _Tallies()
    open_matches: dict[str, tuple[_Tally, int]] = {}
    for event in events:
        if isinstance(event, MatchStarted):
            if event.ladder == ladder and event.rated:
                open_matches[event.match] = tallies.begin(event), event.guess_limit
        elif event.match in open_matches:
            _count(event, *open_matches[event.match])
    return tallies


def _count(event: RecordEvent, tally: _Tally, guess_limit: int) -> None:
    if isinstance(event, FeedbackGiven):
        tally.took_ms.append(event.took_ms)
    elif isinstance(event, GameOver) and event.outcome != "void":
        solved = event.outcome == "solved"
        tally.solved += solved
        tally.scores.append(event.guesses if solved else guess_limit + 1)


def _row(player: str, tally: _Tally) -> LeaderboardRow:
    games = len(tally.scores)
    mean = sum(tally.scores) / games
    half = interval_half_width(tally.scores)
    times = sorted(tally.took_ms)
    return LeaderboardRow(
        player=player,
        client=tally.client,
        games=games,
        mean=mean,
        low=None if half is None else mean - half,
        high=None if half is None else mean + half,
        worst=max(tally.scores),
        solved=tally.solved / games,
        p95_ms=times[math.ceil(0.95 * len(times)) - 1] if times else 0,
        mean_ms=sum(times) / len(times) if times else 0.0,
        histogram=tuple((score, tally.scores.count(score)) for score in sorted(set(tally.scores))),
    )


def interval_half_width(scores: Sequence[int]) -> float | None:
    """Return half the width of the anytime-valid 95 % interval of the mean; None for fewer than two scores."""
    games = len(scores)
    if games < 2:
        return None
    mean = sum(scores) / games
    variance = sum((score - mean) ** 2 for score in scores) / (games - 1)
    tuning = (-2 * math.log(ALPHA) + math.log(-2 * math.log(ALPHA) + 1)) / TUNED_FOR
    spread = games * tuning + 1
    return math.sqrt(variance * 2 * spread / (games**2 * tuning) * math.log(math.sqrt(spread) / ALPHA))


def _rank_by_interval(rows: list[LeaderboardRow]) -> list[LeaderboardRow]:
    """Rank rows by their intervals.

    The rank is 1 plus the number of surely better rows; the worst possible rank counts every row that is not surely
    worse. Rows with too few games come last and get no rank.
    """
    ranked = [row for row in rows if row.games >= PROVISIONAL and row.low is not None]
    with_rank = [
        _with_rank(
            row,
            1 + sum(_surely_better(other, row) for other in ranked),
            len(ranked) - sum(_surely_better(row, other) for other in ranked),
        )
        for row in ranked
    ]
    provisional = [row for row in rows if row.games < PROVISIONAL or row.low is None]
    return sorted(with_rank, key=lambda row: (row.rank or 0, row.mean, row.player)) + sorted(
        provisional, key=lambda row: (row.mean, row.player)
    )


def _rank_exactly(rows: list[LeaderboardRow]) -> list[LeaderboardRow]:
    """Rank rows by mean guesses, then by mean time per guess: against an adversary there is no luck."""
    ordered = sorted(rows, key=lambda row: (row.mean, row.mean_ms, row.player))
    return [_with_rank(row, rank, rank) for rank, row in enumerate(ordered, start=1)]


def _surely_better(one: LeaderboardRow, other: LeaderboardRow) -> bool:
    return one.high is not None and other.low is not None and one.high < other.low


def _with_rank(row: LeaderboardRow, rank: int, worst: int) -> LeaderboardRow:
    return replace(row, rank=rank, rank_worst=worst)


def _label(client: Program) -> str:
    return f"{client.name} {client.version}"
