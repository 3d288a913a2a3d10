"""The leaderboard of a ladder.

A player with games that count has one row, for their latest client version with games that count. Games of abandoned
matches count; void games, which ended by a fault of the server, do not.

A row is wholly better than another if its confidence interval lies below that of the other. Ladders with a value curve
compare luck-adjusted means, all others raw means; times never decide a rank.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from evilpegs_protocol.leaderboard import LeaderboardRow
from evilpegs_protocol.server_messages import PlayerKind
from evilpegs_server.leaderboard.intervals import adjusted_interval, raw_intervals, version_level
from evilpegs_server.leaderboard.row import make_rows
from evilpegs_server.leaderboard.tally import CountedVersion, PlayerTally, VersionTally


class Leaderboard:
    """The counted results of all players on one ladder, and their rows, by luck-adjusted means if ``adjusted``."""

    def __init__(self, *, guess_limit: int, ranked_from: int, adjusted: bool) -> None:
        self._guess_limit = guess_limit
        self._adjusted = adjusted
        self._ranked_from = ranked_from
        self._players: defaultdict[int, PlayerTally] = defaultdict(PlayerTally)
        self._changed: set[int] = set()
        self._latest: dict[int, CountedVersion] = {}
        self._rows: dict[int, LeaderboardRow] = {}
        # of ranked rows, at the level for comparing `_rated_players` players
        self._intervals: dict[int, tuple[float, float]] = {}
        self._rated: set[int] = set()  # the players with a rated match
        self._rated_players = 0

    def set_player(self, player: int, name: str, kind: PlayerKind = "bot") -> None:
        tally = self._tally(player)
        tally.name, tally.kind = name, kind

    def version(self, player: int, client: str) -> VersionTally:
        """Return the results of a client version, to add matches, times or luck to them."""
        return self._tally(player).version(client)

    def add_games(self, player: int, client: str, outcome: str, guesses: int, count: int = 1) -> VersionTally:
        tally = self.version(player, client)
        tally.add_games(outcome, guesses, self._guess_limit, count)
        return tally

    def rows(self) -> list[LeaderboardRow]:
        """Return the rows of all players with a game that is not void.

        Ranked rows come first, best first, then those with a place, then all others, most games first.
        """
        self._update_intervals(self._update_rows())
        for player, (rank, worst) in zip(self._intervals, rank_intervals(self._intervals.values()), strict=True):
            row = self._rows[player]
            if (rank, worst) != (row.rank, row.rank_worst):
                self._rows[player] = replace(row, rank=rank, rank_worst=worst, undecided=rank != worst)
        return sorted(self._rows.values(), key=_order)

    def version_rows(self, player: int) -> list[LeaderboardRow]:
        """Return a row per client version with games that count, by first match; the latest one has its rank."""
        if player not in self._players:
            return []
        rows = make_rows(self._players[player].counted_versions(), self._guess_limit, self._adjusted)
        shown = self._rows.get(player)
        return [
            replace(row, rank=shown.rank, rank_worst=shown.rank_worst, undecided=shown.undecided)
            if shown is not None and (row.client, row.games) == (shown.client, shown.games)
            else row
            for row in rows
        ]

    def _update_rows(self) -> list[int]:
        latest = {
            player: version
            for player in self._changed
            if (version := self._players[player].latest_version()) is not None
        }
        rows = make_rows(list(latest.values()), self._guess_limit, self._adjusted)
        self._rows.update(zip(latest, rows, strict=True))
        self._latest.update(latest)
        self._rated |= {player for player in self._changed if self._players[player].matches}
        self._changed.clear()
        return list(latest)

    def _update_intervals(self, changed: Iterable[int]) -> None:
        # the level of all intervals depends on the number of players with a rated match
        if self._rated_players != len(self._rated):
            self._rated_players, changed = len(self._rated), list(self._rows)
        for player in changed:
            self._intervals.pop(player, None)
        ranked = [player for player in changed if self._is_ranked(self._rows[player])]
        versions = [self._latest[player] for player in ranked]
        levels = [version_level(version.number) / max(self._rated_players, 1) for version in versions]
        if self._adjusted:
            pairs = zip(versions, levels, strict=True)
            intervals = [adjusted_interval(version.tally, self._guess_limit, level) for version, level in pairs]
        else:
            intervals = raw_intervals(versions, self._guess_limit, levels)
        self._intervals.update(zip(ranked, intervals, strict=True))

    def _is_ranked(self, row: LeaderboardRow) -> bool:
        games = row.adjusted_games or 0 if self._adjusted else row.games
        return games >= self._ranked_from

    def _tally(self, player: int) -> PlayerTally:
        self._changed.add(player)
        return self._players[player]


def _order(row: LeaderboardRow) -> tuple[int, int, float, str]:
    if row.rank is None and not row.placed:
        return 2, 0, -row.games, row.player
    # by the number that the row shows, so that readers can check the order
    return (0 if row.rank else 1), row.rank or 0, row.score or 0.0, row.player


def rank_intervals(intervals: Iterable[Sequence[float]]) -> list[tuple[int, int]]:
    """Return the best and the worst possible rank of each interval (low, high) of a mean; lower means are better."""
    ends = [(low, high) for low, high in intervals]
    lows, highs = sorted(low for low, _ in ends), sorted(high for _, high in ends)
    # the best rank counts the intervals wholly below, the worst those not wholly above, itself among them
    return [(1 + bisect_left(highs, low), bisect_right(lows, high)) for low, high in ends]
