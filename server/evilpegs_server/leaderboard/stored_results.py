"""Leaderboards as sums over stored games, counted in steps.

Results come from the derived file, which each step first brings up to date. The luck of a game is stored a moment after
its result, so later steps look up the luck of games that were counted without it.

A match whose chain of hashes is broken does not count. After each start of the server all events are verified, in steps
as well. Storing which events were verified earlier would save this work, but later changes to these events would not be
noticed.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from sqlalchemy import Connection

from evilpegs_protocol.leaderboard import LeaderboardRow
from evilpegs_protocol.server_messages import PlayerKind
from evilpegs_server.leaderboard.intervals import MILLIONTHS
from evilpegs_server.leaderboard.leaderboard import Leaderboard
from evilpegs_server.leaderboard.luck import curve_hashes
from evilpegs_server.leaderboard.standing import games_for_rank
from evilpegs_server.leaderboard.tally import VersionTally
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.storage.derived import games as stored
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.log.archive import find_broken_matches

# matches and games of one query, half a second: the log's side file grows while a reader stays in it
COUNTED: Final = 100_000
# matches whose games are read by one query
READ: Final = 10_000
# per step, so that new rows do not wait for the events of a large database
VERIFIED: Final = 50_000
# games whose luck is looked up in one step
AWAITED: Final = 2_000


class StoredLeaderboards:
    """The leaderboards of the rated ladders, counted on one thread, of what began and ended before ``until``."""

    def __init__(self, derived: DerivedFile, ladders: Mapping[str, Ladder], until: int = stored.END_OF_TIME) -> None:
        self.stopped = False  # any thread may end a step early
        self.broken: set[int] = set()  # by `matches.number`
        self.awaited: deque[int] = deque()  # games counted without their luck, because it is not stored yet
        self.share_done = 0.0  # of the games, for people who wait
        self._derived, self._until = derived, until
        self._ladders = {ladder.id: ladder for ladder in ladders.values() if ladder.rated and not ladder.is_round}
        hashes = curve_hashes(self._ladders.values())
        self._curves = {ladder: hashes.get(ladder) for ladder in self._ladders}
        self._verified = 0
        self._shown: set[str] = set()
        self._begin()

    @property
    def is_verified(self) -> bool:
        """True if the hashes of all events from before the last `advance` are verified."""
        return self._verified >= self._derived.cursor.position

    def advance(self, last: int) -> dict[str, tuple[LeaderboardRow, ...]]:
        """Count what was stored up to the event ``last``, and return all rows of the changed ladders, best first."""
        if self._derived.follow(last, lambda: self.stopped):
            self._verified = 0
            self._begin()
        with self._derived.engine.connect() as connection:
            self._count_new(connection)
            self._count_awaited(connection)
        rows = {ladder: tuple(self._leaderboards[ladder].rows()) for ladder in self._changed}
        self._shown |= self._changed
        self._changed.clear()
        return rows

    def player_rows(self, player: str) -> list[tuple[str, LeaderboardRow]]:
        """Return a row per ladder id and client version; only rows that are on a leaderboard have a rank."""
        numbers = [number for number, (name, _) in self._players.items() if name == player]
        return [
            (ladder, row)
            for number in numbers
            for ladder, leaderboard in self._leaderboards.items()
            for row in leaderboard.version_rows(number)
        ]

    def results(self, ladder: str | None = None) -> Iterator[stored.GameResult]:
        """Yield every game that counts, and void ones, on one ladder or on all, in the order of their matches."""
        curves = {each: curve for each, curve in self._curves.items() if ladder in {None, each}}
        with self._derived.engine.connect() as connection:
            for after in range(0, self._last_match, READ):
                last = min(after + READ, self._last_match)
                yield from stored.load_results(connection, curves, after, last, self.broken, self._until)

    def _begin(self) -> None:
        self._leaderboards = {
            ladder.id: Leaderboard(
                guess_limit=ladder.guess_limit,
                ranked_from=games_for_rank(ladder.codemaker, ladder.kind),
                adjusted=self._curves[ladder.id] is not None,
            )
            for ladder in self._ladders.values()
        }
        self._players: dict[int, tuple[str, PlayerKind]] = {}
        self.awaited.clear()
        self._last_match = self._last_game = 0
        self._changed = set(self._shown)

    def _count_new(self, connection: Connection) -> None:
        newest_match, newest_game = stored.load_newest_match(connection), stored.load_newest_game(connection)
        while not self.stopped and (self._last_match < newest_match or self._last_game < newest_game):
            match = min(self._last_match + COUNTED, newest_match)
            game = min(self._last_game + COUNTED, newest_game)
            matches = stored.sum_matches(connection, self._curves, self._last_match, match, self.broken, self._until)
            games = stored.sum_games(connection, self._curves, self._last_game, game, self.broken, self._until)
            self._add(connection, matches, games)
            self._last_match, self._last_game = match, game
            self.share_done = game / max(1, newest_game)

    def _count_awaited(self, connection: Connection) -> None:
        # the newest first: luck of new games is measured first
        games = list(islice(reversed(self.awaited), AWAITED))
        sums = stored.sum_listed_games(connection, self._curves, games, self.broken)
        for _ in games:
            self.awaited.pop()
        for each in sums:
            self._add_luck(each, self._leaderboards[each.ladder].version(each.player, each.client))
            self.awaited.extendleft(each.unadjusted_games)

    def _add(self, connection: Connection, matches: list[stored.MatchSums], games: list[stored.GameSums]) -> None:
        players = {each.player for each in matches} | {each.player for each in games}
        # first, so that an error of the database changes no leaderboard
        self._players |= stored.load_named_players(connection, players - self._players.keys())
        for player, ladder, client, count, first, last in matches:
            self._leaderboard(ladder, player).version(player, client).add_matches(count, first, last)
        for each in games:
            leaderboard = self._leaderboard(each.ladder, each.player)
            tally = leaderboard.add_games(each.player, each.client, each.outcome, each.guesses, each.games)
            if each.times_ms:
                tally.times_ms.update(map(int, each.times_ms.split(",")))
            self._add_luck(each, tally)
            self.awaited.extend(each.unadjusted_games)

    def _leaderboard(self, ladder: str, player: int) -> Leaderboard:
        self._changed.add(ladder)
        leaderboard = self._leaderboards[ladder]
        leaderboard.set_player(player, *self._players[player])
        return leaderboard

    def _add_luck(self, games: stored.GameSums, tally: VersionTally) -> None:
        if games.lucks:
            self._changed.add(games.ladder)
            miss = self._ladders[games.ladder].guess_limit + 1
            score = MILLIONTHS * (games.guesses if games.outcome == "solved" else miss)
            total = games.lucks * score - games.luck
            squares = games.lucks * score**2 - 2 * score * games.luck + games.luck_squares
            tally.add_luck(games.lucks, total, squares)

    def verify(self) -> bool:
        """Verify the next `VERIFIED` events; return True if `advance` has all games to count."""
        last = min(self._verified + VERIFIED, self._derived.cursor.position)
        broken = find_broken_matches(self._derived.engine, self._verified, last) - self.broken
        self._verified = last
        if broken:
            self.broken |= broken
            self._begin()
        return not self._last_match
