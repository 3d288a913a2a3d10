"""Leaderboards as sums over stored games, counted in steps.

The first step counts the rows of all games within one read transaction, so that it sees one state of the database.
Later steps look for events that end games or begin matches, and count only those. The luck of a game is stored a moment
after its result, so games whose luck is awaited are looked up again.

A match whose chain of hashes is broken does not count. Every event is verified once, in steps as well, because a mark
up to which events were verified could not notice what was changed below it later.
"""

from collections import Counter, deque
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, Engine

from evilpegs_server.match.ladders import Ladder
from evilpegs_server.rating.value_curves import curve_hashes
from evilpegs_server.scoring.leaderboard import Leaderboard, LeaderboardRow
from evilpegs_server.storage.archive import load_last_event_id
from evilpegs_server.storage.chains import find_broken_matches
from evilpegs_server.storage.game_rows import (
    MatchResults,
    game_key,
    load_chosen,
    load_new,
    load_newest,
    load_player_names,
    load_range,
)

MATCHES: Final = 1_000
"""The number of matches that the first step counts at a time, at most 10,000 games on the built-in ladders."""
EVENTS: Final = 4_000
"""The number of events that are counted or verified at a time. More would hold the interpreter lock for too long."""
VERIFIED: Final = 200_000
"""The number of events that one step verifies, so that the rows of a large database do not wait for all of them."""
AWAITED: Final = 2_000
"""The number of games whose luck is looked up in one step."""
MILLION: Final = 1_000_000


class StoredLeaderboards:
    """The leaderboards of rated ladders. All methods are called on one thread, but ``stopped`` may be set on any."""

    def __init__(self, engine: Engine, ladders: Mapping[str, Ladder]) -> None:
        self.stopped = False
        self.broken: set[int] = set()
        """The numbers of the matches that do not count, because their chains of hashes are broken."""
        self._engine = engine
        self._ladders = {ladder.id: ladder for ladder in ladders.values() if ladder.rated}
        self._curves = curve_hashes(self._ladders.values())
        self._last_event: int | None = None
        self._newest = self._verified = 0
        self._changed: set[str] = set()
        self._forget_counts()
        self._ranked: dict[str, dict[str, LeaderboardRow]] = {}

    @property
    def is_verified(self) -> bool:
        """True if every event that was stored at the last step is verified."""
        return self._verified >= self._newest

    @property
    def awaited(self) -> int:
        """The number of counted games whose luck is not known yet."""
        return len(self._awaited)

    def advance(self) -> dict[str, tuple[LeaderboardRow, ...]]:
        """Count what is new, verify a part of the events, and return the rows of each ladder that has changed.

        Raises:
            SQLAlchemyError: the database cannot be read. What could not be counted is counted by a later step.
        """
        if self._last_event is None:
            self._count_all()
        self._newest = load_last_event_id(self._engine)
        self._count_new()
        self._count_awaited()
        if self._verify():
            self._changed = set(self._ladders)
            self._count_all()
        rows = {ladder: tuple(self._leaderboards[ladder].rows()) for ladder in self._changed}
        self._ranked |= {ladder: {row.player: row for row in rows[ladder]} for ladder in rows}
        self._changed.clear()
        return rows

    def player_rows(self, player: str) -> list[tuple[str, LeaderboardRow]]:
        """Return a row for each ladder and client version of a player, with the id of the ladder."""
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
        """Count all games and matches that are stored now, within one transaction, instead of what was counted."""
        self._last_event = None
        self._forget_counts()
        with self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            last_event, last_match = load_newest(connection)
            for after in range(0, last_match, MATCHES):
                if self.stopped:
                    return
                last = min(after + MATCHES, last_match)
                self._add(connection, load_range(connection, self._ladders, after, last))
        self._last_event = last_event

    def _count_new(self) -> None:
        while self._last_event is not None and self._last_event < self._newest and not self.stopped:
            last = min(self._last_event + EVENTS, self._newest)
            with self._engine.connect() as connection:
                begun, ended = load_new(connection, self._last_event, last)
                if begun or ended:
                    self._add(connection, load_chosen(connection, self._ladders, ended, begun), frozenset(begun))
            self._last_event = last

    def _count_awaited(self) -> None:
        """Add the luck of some of the games that were counted without it."""
        games = [self._awaited.pop() for _ in range(min(AWAITED, len(self._awaited)))]
        if not games:
            return
        try:
            with self._engine.connect() as connection:
                results = load_chosen(connection, self._curves, games)
        except Exception:
            self._awaited.extend(games)
            raise
        for match in results:
            if match.number not in self.broken:
                unknown = self._add_luck(self._leaderboards[match.ladder], match)
                self._awaited.extendleft(game_key(match.number, game) for game in unknown)

    def _add(self, connection: Connection, results: list[MatchResults], begun: Collection[int] | None = None) -> None:
        """Add results once everything about them is read, so that an error leaves the sums as they were.

        ``begun`` has the numbers of the matches that were not counted before, None if these are all.
        """
        counted = [match for match in results if match.number not in self.broken]
        players = {match.player for match in counted}
        self._names |= load_player_names(connection, players - self._names.keys())
        for match in counted:
            leaderboard = self._leaderboards[match.ladder]
            self._changed.add(match.ladder)
            leaderboard.set_name(match.player, self._names[match.player])
            if begun is None or match.number in begun:
                leaderboard.add_start(match.player, match.client, match.number)
            if match.games:
                self._add_games(leaderboard, match)

    def _add_games(self, leaderboard: Leaderboard, match: MatchResults) -> None:
        player, client = match.player, match.client
        for (outcome, guesses), count in Counter(game[1:3] for game in match.games).items():
            leaderboard.add_games(player, client, outcome, guesses, count)
        if match.times_ms:
            leaderboard.add_times(player, client, map(int, match.times_ms.split(",")))
        if match.ladder in self._curves:
            unknown = self._add_luck(leaderboard, match)
            self._awaited.extend(game_key(match.number, game) for game in unknown)

    def _add_luck(self, leaderboard: Leaderboard, match: MatchResults) -> list[int]:
        """Add the luck-adjusted scores of games, and return the numbers of those whose luck is not known yet."""
        curve, miss = self._curves[match.ladder], self._ladders[match.ladder].guess_limit + 1
        adjusted, unknown = [], []
        for game, outcome, guesses, luck, luck_curve in match.games:
            if outcome == "void":
                continue
            if luck is None or luck_curve != curve:
                unknown.append(game)
            else:
                adjusted.append(MILLION * (guesses if outcome == "solved" else miss) - luck)
        if adjusted:
            self._changed.add(match.ladder)
            squares = sum(score * score for score in adjusted)
            leaderboard.add_luck(match.player, match.client, len(adjusted), sum(adjusted), squares)
        return unknown

    def _verify(self) -> bool:
        """Verify some events; return True if a match turns out to be broken that was not known to be."""
        limit = min(self._verified + VERIFIED, self._newest)
        is_new = False
        while self._verified < limit and not self.stopped:
            last = min(self._verified + EVENTS, limit)
            broken = find_broken_matches(self._engine, self._verified, last) - self.broken
            is_new = is_new or bool(broken)
            self.broken |= broken
            self._verified = last
        return is_new


def _with_rank_of(row: LeaderboardRow, ranked: LeaderboardRow | None) -> LeaderboardRow:
    """Return the row of a version with the rank of the player's row on the leaderboard if both are the same games."""
    if ranked is None or (row.client, row.games) != (ranked.client, ranked.games):
        return row
    return replace(row, rank=ranked.rank, rank_worst=ranked.rank_worst)
