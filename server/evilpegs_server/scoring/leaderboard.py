"""The leaderboard of a ladder.

A player with games that count has one row, for their latest client version with games that count. The score of a game
is its number of guesses if it was solved, else one more than the guess limit, even if the match was abandoned. Void
games, which ended by a fault of the server, do not count.

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
from evilpegs_server.scoring.ranking import rank_intervals, version_level
from evilpegs_server.scoring.row import (
    ADJUSTED_FROM,
    CountedVersion,
    LeaderboardRow,
    adjusted_interval,
    leaderboard_document,
    make_rows,
    raw_intervals,
)
from evilpegs_server.scoring.tally import PlayerTally, VersionTally

__all__ = ["Leaderboard", "LeaderboardFold", "LeaderboardRow", "leaderboard", "leaderboard_document"]

RANKED_FROM_FIXED: Final = 100
"""The number of games that a row needs for a rank if the codemaker is fixed."""
RANKED_FROM_ADVERSARY: Final = 20
"""The number of games that a row needs for a rank if the codemaker is an adversary: evil or a devil."""
ROWS_BETWEEN_PAUSES: Final = 32
"""The number of leaderboard rows that are computed between two pauses. This takes half a millisecond."""


def no_pause() -> None:
    """Return at once: the function to pass as ``pause`` when no pauses are wanted."""


class Leaderboard:
    """The counted results of all players on one ladder, and the leaderboard rows that follow from them.

    Players are identified by their ids, and client versions by a text of name and version. Results may be added in any
    order; only the rows of players whose results have changed are computed again. ``fixed`` is True if the codemaker
    chooses a secret before the first guess. ``adjusted`` is True if the luck of games on the ladder is measured, so
    that rows are ranked by luck-adjusted means.
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
        self._intervals: dict[int, tuple[float, float]] = {}
        """The interval of the mean of each ranked row, by player id, at the level for comparing ``_names`` players."""
        self._names = 0

    def set_name(self, player: int, name: str) -> None:
        """Set the name of the player with the id ``player``. Each player with a game needs a name before `rows`."""
        self._tally(player).name = name

    def add_start(self, player: int, client: str, order: int) -> None:
        """Add a rated match that a player started with the client version ``client``.

        ``order`` is any number that is greater for a match that began later.
        """
        self.add_matches(player, client, 1, order, order)

    def add_matches(self, player: int, client: str, count: int, first: int, last: int) -> None:
        """Add ``count`` rated matches that a player started with the client version ``client``.

        ``first`` is the number of the earliest of these matches, and ``last`` that of the latest. A match with a
        greater number began later.
        """
        self._rated.add(player)
        self._version(player, client).add_matches(count, first, last)

    def add_games(self, player: int, client: str, outcome: str, guesses: int, count: int = 1) -> None:
        """Add ``count`` finished games of a player with one client version, one outcome and one number of guesses.

        ``outcome`` is that of the event `game_over`. Void games are ignored.
        """
        self._version(player, client).add_games(outcome, guesses, self._guess_limit, count)

    def add_times(self, player: int, client: str, times_ms: Iterable[int]) -> None:
        """Add the times of guesses of a player with one client version; ``times_ms`` has the milliseconds per guess."""
        self._version(player, client).add_times(times_ms)

    def add_luck(self, player: int, client: str, games: int, total: int, squares: int) -> None:
        """Add luck-adjusted scores, which are scores minus luck, of a player with one client version.

        ``games`` is the number of the scores, ``total`` their sum in millionths of a guess, and ``squares`` the sum of
        their squares in the square of this unit.
        """
        self._version(player, client).add_luck(games, total, squares)

    def rows(self, pause: Callable[[], None] = no_pause) -> list[LeaderboardRow]:
        """Return the rows of all players who have a game that is not void: ranked rows, best first, then all others.

        Rows with the same rank are ordered by the mean that is ranked, all others by the mean score, and rows with the
        same mean by name. ``pause`` is called several times during the work, so that other threads can run.

        Raises:
            ValueError: a player with a game has no name.
        """
        changed = self._update_rows(pause)
        self._update_intervals(changed)
        pause()
        self._update_ranks()
        return sorted(self._rows.values(), key=self._order)

    def version_rows(self, player: int) -> list[LeaderboardRow]:
        """Return a row without a rank for each client version with which ``player`` has games that are not void.

        The rows are ordered by the first match of the version. The list is empty for an unknown player.
        """
        if player not in self._players:
            return []
        tally = self._players[player]
        versions = [
            CountedVersion(tally, number, version) for number, version in tally.numbered_versions() if version.scores
        ]
        return list(make_rows(versions, self._guess_limit, self._adjusted))

    def _update_rows(self, pause: Callable[[], None]) -> list[int]:
        """Compute the rows of all players with new results again, and return the ids of those who have a row.

        A player has a row if they have a game that is not void.
        """
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
        """Compute the intervals from which ranks follow, for players with new results; ``changed`` has their ids.

        If the number of players with a rated match has changed, compute the intervals of all players, because the level
        of the intervals depends on this number.
        """
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
        """Set the ranks of all rows that have enough games for a rank, by comparing their intervals.

        Rows whose ranks have not changed stay the same objects.
        """
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
    """The leaderboard of the ladder with the id ``ladder``, from events that are added one at a time.

    The events of a match must be added in order; events of several matches may alternate. Matches count as begun in the
    order in which their first events are added. Events of other ladders and of practice matches are ignored, and no
    scores are adjusted for luck.
    """

    def __init__(self, ladder: str) -> None:
        self._ladder = ladder
        self._leaderboard: Leaderboard | None = None
        self._numbers: dict[str, int] = {}
        self._started = 0
        self._open: dict[str, MatchStarted] = {}
        self._times: dict[tuple[str, int], list[int]] = {}

    def add(self, event: RecordEvent) -> None:
        """Add the next event of any match, on any ladder."""
        if isinstance(event, MatchStarted):
            if event.ladder == self._ladder and event.rated:
                self._add_start(event)
        elif self._leaderboard is not None and event.match in self._open:
            self._add_to_match(self._leaderboard, self._open[event.match], event)

    def rows(self) -> list[LeaderboardRow]:
        """Return the rows that follow from the events added so far, best first."""
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
    """Return the leaderboard rows of the ladder with the id ``ladder`` that follow from ``events``, best first.

    The events of each match must be in order. Events of other ladders and of practice matches are ignored, and no
    scores are adjusted for luck.
    """
    fold = LeaderboardFold(ladder)
    for event in events:
        fold.add(event)
    return fold.rows()


def _client(started: MatchStarted) -> str:
    return f"{started.client.name} {started.client.version}"
