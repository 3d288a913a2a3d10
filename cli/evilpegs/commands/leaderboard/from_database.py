"""Leaderboards computed from the games in a server's database, and these games and their matches as CSV."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from statistics import fmean
from typing import Any, Final, Literal

from sqlalchemy.exc import SQLAlchemyError

from evilpegs.commands.leaderboard.comma_separated import write_table
from evilpegs.database import open_results
from evilpegs.errors import CommandError, practice_ladder, unknown_ladder
from evilpegs.output import console, pluralize
from evilpegs.signals import run_interruptibly
from evilpegs_protocol.leaderboard import LeaderboardDocument
from evilpegs_server.leaderboard.intervals import MILLIONTHS
from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.leaderboard.row import leaderboard_document
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.derived.games import END_OF_TIME, GameResult
from evilpegs_server.storage.log.archive import load_last_event_id
from evilpegs_server.storage.log.ladders import known_ladders

RESULTS_SECONDS: Final = 5.0  # for a running server to derive the results of the last events
LOOK_SECONDS: Final = 0.1
MATCH_COLUMNS: Final = (
    *("ladder", "match", "player", "kind", "client", "started_at", "ended_at"),
    *("games", "solved", "mean", "elapsed_ms"),
)
GAME_COLUMNS: Final = (*GameResult._fields, "score")


async def load_standings(
    derived: DerivedFile, ladder_id: str | None = None, luck_seconds: float = 0.0, until: int = END_OF_TIME
) -> list[LeaderboardDocument]:
    """Return one leaderboard, or all with rated games; wait up to ``luck_seconds`` for a server to measure luck."""
    return await _count(FollowedStandings(derived, ladder_id, until), derived, luck_seconds)


async def _count(followed: "FollowedStandings", derived: DerivedFile, luck_seconds: float) -> list[LeaderboardDocument]:
    found, out = followed.leaderboards.counting, console(sys.stderr)
    now = asyncio.get_running_loop().time
    begun, last = now(), load_last_event_id(derived.engine)
    try:
        standings = await followed.current()
        while derived.cursor.position < last and now() < begun + RESULTS_SECONDS:
            await asyncio.sleep(LOOK_SECONDS)
            standings = await followed.current()
        if derived.cursor.position < last:
            raise CommandError("the results are still being derived by a server; try again soon")
        while not found.is_verified:
            standings = await followed.current()
        while found.awaited and now() < begun + luck_seconds:
            await asyncio.sleep(LOOK_SECONDS)
            standings = await followed.current()
    finally:
        await followed.leaderboards.close()
    if found.broken:
        what = pluralize(len(found.broken), "match", "matches")
        out.print(f"{what} left out, because the chain of hashes is broken; see: evilpegs database check")
    if found.awaited:
        what = pluralize(len(found.awaited), "game")
        out.print(f"{what} counted without luck, which evilpegs serve and evilpegs show measure")
    return standings


class FollowedStandings:
    """The leaderboards of a database that a server may be using; each `current` reads only new events."""

    def __init__(self, derived: DerivedFile, ladder_id: str | None, until: int = END_OF_TIME) -> None:
        self._ladders = known_ladders(derived.engine)
        self._ladder = None if ladder_id is None else _find_rated_ladder(self._ladders, ladder_id)
        last_event = partial(load_last_event_id, derived.engine)
        self.leaderboards = LiveLeaderboards(derived, self._ladders, None, last_event, until=until)

    async def current(self) -> list[LeaderboardDocument]:
        try:
            await self.leaderboards.update()
        except SQLAlchemyError as error:
            raise CommandError(f"the database cannot be read: {str(error).splitlines()[0]}") from None
        if self._ladder is not None:
            return [await self._document(self._ladder)]
        leaderboards = [await self._document(each) for each in self._ladders.values()]
        return [standings for standings in leaderboards if standings.rows]

    async def _document(self, ladder: Ladder) -> LeaderboardDocument:
        return leaderboard_document(ladder.info(), await self.leaderboards.rows(ladder.id))


def _find_rated_ladder(ladders: Mapping[str, Ladder], ladder_id: str) -> Ladder:
    ladder = ladders.get(ladder_id)
    if ladder is None:
        raise unknown_ladder(ladder_id, [each.id for each in ladders.values() if each.rated])
    if not ladder.rated:
        raise practice_ladder(ladder.id)
    return ladder


def write_results(
    database: str | None, ladder: str | None, kind: str | None, until: int, each: Literal["match", "game"]
) -> None:
    """Print a line per game that counts on a ladder or on all, or per match; scores and luck are in guesses."""
    with open_results(database) as derived:
        limits = {found.id: found.guess_limit for found in known_ladders(derived.engine).values()}
        followed = FollowedStandings(derived, ladder, until)
        run_interruptibly(_count(followed, derived, 0.0))
        games = (game for game in followed.leaderboards.counting.results(ladder) if kind in {None, game.kind})
        if each == "game":
            write_table(sys.stdout, GAME_COLUMNS, (game_cells(game, limits) for game in games))
        else:
            matches = groupby(games, key=lambda game: game.match)
            write_table(sys.stdout, MATCH_COLUMNS, (match_cells(list(each), limits) for _, each in matches))


def game_cells(game: GameResult, guess_limits: Mapping[str, int]) -> list[Any]:
    luck = None if game.luck is None else game.luck / MILLIONTHS
    return [luck if name == "luck" else value for name, value in game._asdict().items()] + [_score(game, guess_limits)]


def match_cells(games: Sequence[GameResult], guess_limits: Mapping[str, int]) -> list[Any]:
    scores = [score for game in games if (score := _score(game, guess_limits)) is not None]
    of_games = len(scores), sum(game.outcome == "solved" for game in games), fmean(scores) if scores else None
    first, ended_at = games[0], max(game.ended_at for game in games)
    of_match = first.ladder, first.match, first.player, first.kind, first.client, first.started_at, ended_at
    return [*of_match, *of_games, sum(game.elapsed_ms for game in games)]


def _score(game: GameResult, guess_limits: Mapping[str, int]) -> int | None:
    if game.outcome == "void":
        return None
    return game.guesses if game.outcome == "solved" else guess_limits[game.ladder] + 1
