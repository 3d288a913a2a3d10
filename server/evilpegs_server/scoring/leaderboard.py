"""The leaderboard of a ladder: a pure fold over the events of records.

With a fixed codemaker, only the rated games of a player's latest client version count; against an adversary, all rated
games do. An unsolved game counts as one guess more than the limit, even if its match was abandoned. Void games are the
server's fault and are left out.

The interval of the mean is anytime-valid: it holds at 95 % however often one looks and whenever one stops. It is the
asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (Time-uniform central limit
theory and asymptotic confidence sequences, 2021), tuned to be tightest around `TUNED_FOR` games.
"""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, LadderInfo, MatchOver, MatchStarted, RecordEvent
from evilpegs_server.scoring.tally import PlayerTally, combine, latest, mean, percentile, variance

PROVISIONAL: Final = 100
"""The number of games that a row needs for a rank."""
TUNED_FOR: Final = 300
"""The number of games at which the interval is tightest."""
ALPHA: Final = 0.05
"""The probability that the interval ever misses the mean."""


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


class Leaderboard:
    """The tallies of all players on one ladder, and the rows that follow from them.

    Only the rows of players whose tallies were changed are computed again. With ``by_version``, as on ladders with a
    fixed codemaker, a player's row is that of the latest client version; otherwise it combines all versions.
    """

    def __init__(self, *, by_version: bool) -> None:
        self._by_version = by_version
        self._tallies: dict[str, dict[str, PlayerTally]] = {}
        self._rows: dict[str, LeaderboardRow] = {}
        self._changed: set[str] = set()

    def tally(self, player: str, client: str) -> PlayerTally:
        """Return the tally of ``player`` with a client version, which the caller is about to change."""
        self._changed.add(player)
        versions = self._tallies.setdefault(player, {})
        if client not in versions:
            versions[client] = PlayerTally(client)
        return versions[client]

    def rows(self) -> list[LeaderboardRow]:
        """Return the rows of all players who have a game that counts, best first."""
        for player in self._changed:
            counted = self._counted_tally(player)
            if counted is not None:
                self._rows[player] = _row(player, counted)
        self._changed.clear()
        rows = list(self._rows.values())
        return _rank_by_interval(rows) if self._by_version else _rank_exactly(rows)

    def version_rows(self, player: str) -> list[LeaderboardRow]:
        """Return a row for each client version of ``player`` that has a game that counts, without ranks."""
        versions = self._tallies.get(player, {}).values()
        return [_row(player, tally) for tally in versions if tally.scores]

    def _counted_tally(self, player: str) -> PlayerTally | None:
        versions = self._tallies[player].values()
        played = [tally for tally in versions if tally.scores]
        if not played:
            return None
        return latest(played) if self._by_version else combine(versions)


class LeaderboardFold:
    """The leaderboard of one ladder, from events that are added one at a time.

    The events of a match come in order; matches may overlap. Events of other ladders and of practice are ignored.
    """

    def __init__(self, ladder: str) -> None:
        self._ladder = ladder
        self._leaderboard: Leaderboard | None = None
        self._open: dict[str, MatchStarted] = {}

    def add(self, event: RecordEvent) -> None:
        """Add the next event."""
        if isinstance(event, MatchStarted):
            if event.ladder == self._ladder and event.rated:
                self._open[event.match] = event
                self._tally(event).add_start(event.at)
        elif event.match in self._open:
            self._add_to_match(self._open[event.match], event)

    def rows(self) -> list[LeaderboardRow]:
        """Return the rows of the events so far, best first."""
        return [] if self._leaderboard is None else self._leaderboard.rows()

    def _add_to_match(self, started: MatchStarted, event: RecordEvent) -> None:
        match event:
            case FeedbackGiven():
                self._tally(started).add_guesses(event.took_ms)
            case GameOver():
                self._tally(started).add_games(event.outcome, event.guesses, started.guess_limit)
            case MatchOver():
                del self._open[started.match]
            case _:
                pass

    def _tally(self, started: MatchStarted) -> PlayerTally:
        if self._leaderboard is None:
            self._leaderboard = Leaderboard(by_version=started.codemaker == "fixed")
        return self._leaderboard.tally(started.player, f"{started.client.name} {started.client.version}")


def leaderboard(events: Iterable[RecordEvent], ladder: str) -> list[LeaderboardRow]:
    """Return the rows of ``ladder``, best first. Events of other ladders and of practice are ignored."""
    fold = LeaderboardFold(ladder)
    for event in events:
        fold.add(event)
    return fold.rows()


def leaderboard_document(ladder: LadderInfo, rows: Iterable[LeaderboardRow]) -> dict[str, Any]:
    """Return a leaderboard as the JSON object that ``evilpegs leaderboard --json`` lists for each ladder."""
    return {
        "ladder": ladder.id,
        "rules": ladder.rules,
        "codemaker": ladder.codemaker,
        "guess_limit": ladder.guess_limit,
        "rows": [{name: getattr(row, name) for name in _COLUMNS} for row in rows],
    }


def interval_half_width(scores: Iterable[int]) -> float | None:
    """Return half the width of the anytime-valid 95 % interval of the mean; None for fewer than two scores."""
    counts = Counter(scores)
    return _half_width(counts) if counts.total() > 1 else None


def _half_width(counts: Counter[int]) -> float:
    games = counts.total()
    tuning = (-2 * math.log(ALPHA) + math.log(-2 * math.log(ALPHA) + 1)) / TUNED_FOR
    spread = games * tuning + 1
    return math.sqrt(variance(counts) * 2 * spread / (games**2 * tuning) * math.log(math.sqrt(spread) / ALPHA))


def _row(player: str, tally: PlayerTally) -> LeaderboardRow:
    scores, times = tally.scores, tally.times_ms
    games, middle = scores.total(), mean(scores)
    half = _half_width(scores) if games > 1 else None
    return LeaderboardRow(
        player=player,
        client=tally.client,
        games=games,
        mean=middle,
        low=None if half is None else middle - half,
        high=None if half is None else middle + half,
        worst=max(scores),
        solved=tally.solved / games,
        p95_ms=percentile(times, 0.95) if times else 0,
        mean_ms=mean(times) if times else 0.0,
        histogram=tuple(sorted(scores.items())),
    )


def _rank_by_interval(rows: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    """Rank rows by their intervals.

    The rank is 1 plus the number of surely better rows; the worst possible rank counts every row that is not surely
    worse. Rows with too few games come last and get no rank.
    """
    ranked = [row for row in rows if row.games >= PROVISIONAL]
    lows, highs = sorted(row.low or 0.0 for row in ranked), sorted(row.high or 0.0 for row in ranked)
    with_rank = [
        replace(row, rank=1 + bisect_left(highs, row.low or 0.0), rank_worst=bisect_right(lows, row.high or 0.0))
        for row in ranked
    ]
    provisional = [row for row in rows if row.games < PROVISIONAL]
    return sorted(with_rank, key=lambda row: (row.rank or 0, row.mean, row.player)) + sorted(
        provisional, key=lambda row: (row.mean, row.player)
    )


def _rank_exactly(rows: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    """Rank rows by mean guesses, then by mean time per guess: against an adversary there is no luck."""
    ordered = sorted(rows, key=lambda row: (row.mean, row.mean_ms, row.player))
    return [replace(row, rank=rank, rank_worst=rank) for rank, row in enumerate(ordered, start=1)]


_COLUMNS: Final = tuple(column.name for column in fields(LeaderboardRow))
