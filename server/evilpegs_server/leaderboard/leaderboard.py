"""The leaderboard of a ladder.

A player with games that count has one row, for their latest client version with games that count. Games of abandoned
matches count; void games, which ended by a fault of the server, do not.

Ranks follow from the confidence intervals of mean scores, by the same rule for every codemaker: a row is wholly better
than another row if its interval lies below the interval of the other row. Ladders with a value curve compare
luck-adjusted means, all others raw means. `ranking` defines the levels of the intervals. Times are shown, but they
never decide a rank.

`Leaderboard` takes finished games in bulk. `LeaderboardFold` is the plain version: a pure fold over the events of
records, without luck.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, MatchOver, MatchStarted, RecordEvent
from evilpegs_server.leaderboard.ranking import rank_intervals, version_level
from evilpegs_server.leaderboard.row import (
    ADJUSTED_FROM,
    CountedVersion,
    LeaderboardRow,
    adjusted_interval,
    leaderboard_document,
    make_rows,
    raw_intervals,
)
from evilpegs_server.leaderboard.tally import PlayerTally, VersionTally

__all__ = ["Leaderboard", "LeaderboardFold", "LeaderboardRow", "leaderboard", "leaderboard_document"]

# games that a row needs for a rank
RANKED_FROM_FIXED: Final = 100
RANKED_FROM_ADVERSARY: Final = 20
# half a millisecond of work
ROWS_BETWEEN_PAUSES: Final = 32


def no_pause() -> None:
    """Return at once: for callers that want no pauses."""
    """Return at once: for callers that want no pauses."""


class Leaderboard:
    """The counted results of all players on one ladder, and the rows that follow from them.

    Results may be added in any order; only the rows of players with new results are computed again. If ``adjusted``,
    rows are ranked by luck-adjusted means.
    """

    def __init__(self, *, guess_limit: int, fixed: bool, adjusted: bool) -> None:
        self._guess_limit = guess_limit
        self._adjusted = adjusted
        self._ranked_from = ADJUSTED_FROM if adjusted else RANKED_FROM_FIXED if fixed else RANKED_FROM_ADVERSARY
        self._players: dict[int, PlayerTally] = {}
        self._rated: set[int] = set()
        self._changed: set[int] = set()
        self._latest: dict[int, CountedVersion] = {}
        self._rows: dict[int, LeaderboardRow] = {}
        # of ranked rows, at the level for comparing `_names` players
        self._intervals: dict[int, tuple[float, float]] = {}
        self._names = 0

    def set_name(self, player: int, name: str) -> None:
        """Set the name, which each player with a game needs before `rows`."""
        self._tally(player).name = name

    def add_start(self, player: int, client: str, order: int) -> None:
        """Add a started rated match; a later match has a greater ``order``."""
        self.add_matches(player, client, 1, order, order)

    def add_matches(self, player: int, client: str, count: int, first: int, last: int) -> None:
        """Add started rated matches, with numbers from ``first`` to ``last`` that order matches by their start."""
        self._rated.add(player)
        self._version(player, client).add_matches(count, first, last)

    def add_games(self, player: int, client: str, outcome: str, guesses: int, count: int = 1) -> None:
        """Add games with one outcome and one length; void games are ignored."""
        self._version(player, client).add_games(outcome, guesses, self._guess_limit, count)

    def add_times(self, player: int, client: str, times_ms: Iterable[int]) -> None:
        self._version(player, client).add_times(times_ms)

    def add_luck(self, player: int, client: str, games: int, total: int, squares: int) -> None:
        """Add the sum and the sum of squares of luck-adjusted scores, in millionths of a guess."""
        self._version(player, client).add_luck(games, total, squares)

    def rows(self, pause: Callable[[], None] = no_pause) -> list[LeaderboardRow]:
        """Return the rows of all players with a game that is not void: ranked rows, best first, then all others."""
        changed = self._update_rows(pause)
        self._update_intervals(changed)
        pause()
        self._update_ranks()
        return sorted(self._rows.values(), key=self._order)

    def version_rows(self, player: int) -> list[LeaderboardRow]:
        """Return a row without a rank for each client version with games that count, ordered by first match."""
        if player not in self._players:
            return []
        tally = self._players[player]
        versions = [
            CountedVersion(tally, number, version) for number, version in tally.numbered_versions() if version.scores
        ]
        return list(make_rows(versions, self._guess_limit, self._adjusted))

    def _update_rows(self, pause: Callable[[], None]) -> list[int]:
        tallies = {player: self._players[player] for player in self._changed}
        latest = {
            player: CountedVersion(tally, *version)
            for player, tally in tallies.items()
            if (version := tally.latest_version()) is not None
        }
        rows = make_rows(list(latest.values()), self._guess_limit, self._adjusted)
        for index, (player, row) in enumerate(zip(latest, rows, strict=True)):
            if index % ROWS_BETWEEN_PAUSES == 0:
                pause()
            self._rows[player] = row
        self._latest.update(latest)
        self._changed.clear()
        return list(latest)

    def _update_intervals(self, changed: Iterable[int]) -> None:
        # the level of all intervals depends on the number of players with a rated match
        if self._names != len(self._rated):
            self._names, changed = len(self._rated), list(self._rows)
        for player in changed:
            self._intervals.pop(player, None)
        ranked = [player for player in changed if self._is_ranked(self._rows[player])]
        versions = [self._latest[player] for player in ranked]
        levels = [version_level(version.number) / max(self._names, 1) for version in versions]
        if self._adjusted:
            pairs = zip(versions, levels, strict=True)
            intervals = [adjusted_interval(version.tally, self._guess_limit, level) for version, level in pairs]
        else:
            intervals = raw_intervals(versions, self._guess_limit, levels)
        self._intervals.update(zip(ranked, intervals, strict=True))

    def _update_ranks(self) -> None:
        for player, ranks in zip(self._intervals, rank_intervals(self._intervals.values()), strict=True):
            row = self._rows[player]
            if ranks != (row.rank, row.rank_worst):
                self._rows[player] = replace(row, rank=ranks[0], rank_worst=ranks[1])

    def _is_ranked(self, row: LeaderboardRow) -> bool:
        games = row.adjusted_games or 0 if self._adjusted else row.games
        return games >= self._ranked_from

    def _order(self, row: LeaderboardRow) -> tuple[bool, int, float, str]:
        ranked_mean = row.adjusted_mean if self._adjusted and row.rank is not None else row.mean
        return row.rank is None, row.rank or 0, ranked_mean or 0.0, row.player

    def _version(self, player: int, client: str) -> VersionTally:
        return self._tally(player).version(client)

    def _tally(self, player: int) -> PlayerTally:
        self._changed.add(player)
        if player not in self._players:
            self._players[player] = PlayerTally()
        return self._players[player]


class LeaderboardFold:
    """The leaderboard of one ladder, from events that are added one at a time.

    The events of a match must be in order; those of several matches may alternate. Matches count as started in the
    order of their first events. Events of other ladders and of practice matches are ignored.
    """

    def __init__(self, ladder: str) -> None:
        self._ladder = ladder
        self._leaderboard: Leaderboard | None = None
        self._numbers: dict[str, int] = {}
        self._started = 0
        self._open: dict[str, MatchStarted] = {}
        self._times: dict[tuple[str, int], list[int]] = {}

    def add(self, event: RecordEvent) -> None:
        if isinstance(event, MatchStarted):
            if event.ladder == self._ladder and event.rated:
                self._add_start(event)
        elif self._leaderboard is not None and event.match in self._open:
            self._add_to_match(self._leaderboard, self._open[event.match], event)

    def rows(self) -> list[LeaderboardRow]:
        return [] if self._leaderboard is None else self._leaderboard.rows()

    def _add_start(self, event: MatchStarted) -> None:
        if self._leaderboard is None:
            fixed = event.codemaker == "fixed"
            self._leaderboard = Leaderboard(guess_limit=event.guess_limit, fixed=fixed, adjusted=False)
        self._open[event.match] = event
        self._started += 1
        number = self._numbers.setdefault(event.player, len(self._numbers))
        self._leaderboard.set_name(number, event.player)
        self._leaderboard.add_start(number, _client(event), self._started)

    def _add_to_match(self, leaderboard: Leaderboard, started: MatchStarted, event: RecordEvent) -> None:
        player, client = self._numbers[started.player], _client(started)
        match event:
            case FeedbackGiven():
                self._times.setdefault((event.match, event.game), []).append(event.took_ms)
            case GameOver():
                times_ms = self._times.pop((event.match, event.game), [])
                leaderboard.add_games(player, client, event.outcome, event.guesses)
                if event.outcome != "void":
                    leaderboard.add_times(player, client, times_ms)
            case MatchOver():
                del self._open[started.match]
            case _:
                pass


def leaderboard(events: Iterable[RecordEvent], ladder: str) -> list[LeaderboardRow]:
    """Return the rows of a `LeaderboardFold` over ``events``, best first."""
    fold = LeaderboardFold(ladder)
    for event in events:
        fold.add(event)
    return fold.rows()


def _client(started: MatchStarted) -> str:
    return f"{started.client.name} {started.client.version}"
