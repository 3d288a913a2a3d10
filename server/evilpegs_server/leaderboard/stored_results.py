"""Leaderboards as sums over stored games, counted in steps.

Results come from the derived file, which each step first brings up to date. The first step counts all games within one
read transaction, so that it sees one state of the database. Later steps count only the games and matches of new events.
The luck of a game is stored a moment after its result, so later steps look up the luck of games that were counted
without it.

A match whose chain of hashes is broken does not count. After each start of the server all events are verified, in steps
as well. Storing which events were verified earlier would save this work, but later changes to these events would not be
noticed.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection

from evilpegs_server.leaderboard.leaderboard import Leaderboard
from evilpegs_server.leaderboard.luck import curve_hashes
from evilpegs_server.leaderboard.row import LeaderboardRow
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.storage.archive import find_broken_matches
from evilpegs_server.storage.derived import DerivedFile
from evilpegs_server.storage.games import (
    GameSums,
    MatchSums,
    last_player,
    load_new,
    load_newest,
    load_player_names,
    sum_games,
    sum_matches,
    sum_players,
)

# after which a query of the first step ends; all matches of a player are in one query
MATCHES: Final = 5_000
# counted or verified in one query
EVENTS: Final = 4_000
# per step, so that new rows do not wait for the events of a large database
VERIFIED: Final = 100_000
# games whose luck is looked up in one step
AWAITED: Final = 2_000
MILLION: Final = 1_000_000


class StoredLeaderboards:
    """The leaderboards of the rated ladders among ``ladders``, counted from the database in steps.

    Call all methods on one thread. Any thread may set ``stopped`` to end a step early.
    """

    def __init__(self, derived: DerivedFile, ladders: Mapping[str, Ladder]) -> None:
        self.stopped = False
        self.broken: set[int] = set()  # by `matches.number`
        self._derived = derived
        self._ladders = {ladder.id: ladder for ladder in ladders.values() if ladder.rated}
        self._curves = curve_hashes(self._ladders.values())
        self._wanted = {ladder: self._curves.get(ladder) for ladder in self._ladders}
        self._last_event: int | None = None
        self._newest = self._verified = 0
        self._changed: set[str] = set()
        self._forget_counts()
        self._ranked: dict[str, dict[str, LeaderboardRow]] = {}

    @property
    def is_verified(self) -> bool:
        """True if the hashes of all events from before the last `advance` are verified."""
        return self._verified >= self._newest

    @property
    def awaited(self) -> int:
        """The number of games counted without their luck, because it is not stored yet."""
        return len(self._awaited)

    def advance(self, last: int) -> dict[str, tuple[LeaderboardRow, ...]]:
        """Count what was stored since the last call, and return all rows of the changed ladders, best first.

        Events with an id above ``last`` wait for a later call. If the database fails, the next call counts and returns
        what this one could not.
        """
        if self._derived.follow(last, lambda: self.stopped):
            self._last_event, self._verified, self._changed = None, 0, set(self._ladders)
        if self._last_event is None:
            self._count_all()
        with self._derived.engine.connect() as connection:
            self._newest, _ = load_newest(connection)
        self._count_new()
        self._count_awaited()
        rows = {ladder: tuple(self._leaderboards[ladder].rows()) for ladder in self._changed}
        self._ranked |= {ladder: {row.player: row for row in rows[ladder]} for ladder in rows}
        self._changed.clear()
        return rows

    def player_rows(self, player: str) -> list[tuple[str, LeaderboardRow]]:
        """Return a row per ladder id and client version; only rows that are on a leaderboard have a rank."""
        number = next((number for number, name in self._names.items() if name == player), None)
        if number is None:
            return []
        return [
            (ladder, _with_rank_of(row, self._ranked.get(ladder, {}).get(player)))
            for ladder, leaderboard in self._leaderboards.items()
            for row in leaderboard.version_rows(number)
        ]

    def _forget_counts(self) -> None:
        self._leaderboards = {
            ladder.id: Leaderboard(
                guess_limit=ladder.guess_limit,
                fixed=ladder.codemaker == "fixed",
                adjusted=ladder.id in self._curves,
            )
            for ladder in self._ladders.values()
        }
        self._names: dict[int, str] = {}
        self._awaited: deque[int] = deque()

    def _count_all(self) -> None:
        self._last_event = None
        self._forget_counts()
        with self._derived.engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            last_event, _ = load_newest(connection)
            after, last = 0, last_player(connection, 0, MATCHES)
            while last is not None and last > after:
                # the next call of `advance` then counts all games again
                if self.stopped:
                    return
                self._add(connection, *sum_players(connection, self._wanted, after, last, self.broken))
                after, last = last, last_player(connection, last, MATCHES)
        self._last_event = last_event

    def _count_new(self) -> None:
        while self._last_event is not None and self._last_event < self._newest and not self.stopped:
            last = min(self._last_event + EVENTS, self._newest)
            with self._derived.engine.connect() as connection:
                begun, ended = load_new(connection, self._last_event, last)
                if begun or ended:
                    matches = sum_matches(connection, self._wanted, begun, self.broken)
                    self._add(connection, matches, sum_games(connection, self._wanted, ended, self.broken))
            self._last_event = last

    def _count_awaited(self) -> None:
        games = [self._awaited.pop() for _ in range(min(AWAITED, len(self._awaited)))]
        if not games:
            return
        try:
            with self._derived.engine.connect() as connection:
                sums = sum_games(connection, self._curves, games, self.broken)
        except Exception:
            self._awaited.extend(games)
            raise
        for each in sums:
            self._add_luck(each)
            self._awaited.extendleft(each.unadjusted)

    def _add(self, connection: Connection, matches: list[MatchSums], games: list[GameSums]) -> None:
        players = {each.player for each in matches} | {each.player for each in games}
        # first, so that an error of the database changes no leaderboard
        self._names |= load_player_names(connection, players - self._names.keys())
        for started in matches:
            player, ladder, client, count, first, last = started
            self._leaderboard(ladder, player).add_matches(player, client, count, first, last)
        for each in games:
            leaderboard = self._leaderboard(each.ladder, each.player)
            leaderboard.add_games(each.player, each.client, each.outcome, each.guesses, each.games)
            if each.times_ms:
                leaderboard.add_times(each.player, each.client, map(int, each.times_ms.split(",")))
            self._add_luck(each)
            self._awaited.extend(each.unadjusted)

    def _leaderboard(self, ladder: str, player: int) -> Leaderboard:
        self._changed.add(ladder)
        leaderboard = self._leaderboards[ladder]
        leaderboard.set_name(player, self._names[player])
        return leaderboard

    def _add_luck(self, games: GameSums) -> None:
        if games.lucks:
            self._changed.add(games.ladder)
            miss = self._ladders[games.ladder].guess_limit + 1
            score = MILLION * (games.guesses if games.outcome == "solved" else miss)
            total = games.lucks * score - games.luck
            squares = games.lucks * score**2 - 2 * score * games.luck + games.luck_squares
            self._leaderboards[games.ladder].add_luck(games.player, games.client, games.lucks, total, squares)

    def verify(self) -> bool:
        """Verify the next `VERIFIED` events; return True if `advance` must count all games again."""
        limit = min(self._verified + VERIFIED, self._newest)
        while self._verified < limit and not self.stopped:
            last = min(self._verified + EVENTS, limit)
            broken = find_broken_matches(self._derived.engine, self._verified, last) - self.broken
            if broken:  # at once, because reading the next events may fail
                self._changed = set(self._ladders)
                self._last_event = None
            self.broken |= broken
            self._verified = last
        return self._last_event is None


def _with_rank_of(row: LeaderboardRow, ranked: LeaderboardRow | None) -> LeaderboardRow:
    if ranked is None or (row.client, row.games) != (ranked.client, ranked.games):
        return row
    return replace(row, rank=ranked.rank, rank_worst=ranked.rank_worst)
