"""Leaderboards computed from the games in a server's database."""

import asyncio
import sys
from collections.abc import Iterable
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from evilpegs.errors import CommandError, practice_ladder, unknown_ladder
from evilpegs.output import console, pluralize
from evilpegs_protocol.listings import Standings, StandingsRow
from evilpegs_server.leaderboard.leaderboards import LiveLeaderboards
from evilpegs_server.leaderboard.row import LeaderboardRow
from evilpegs_server.match.ladders import Ladder, load_ladders

LOOK_SECONDS: Final = 0.1
"""The time between readings while the luck of some games is not measured yet."""


async def load_standings(engine: Engine, ladder_id: str | None = None, luck_seconds: float = 0.0) -> list[Standings]:
    """Return one leaderboard, or all with rated games, and print on standard error what does not count.

    If the luck of some games is not measured yet, wait up to ``luck_seconds`` for a running server to measure it.
    """
    followed = FollowedStandings(engine, ladder_id)
    deadline = asyncio.get_running_loop().time() + luck_seconds
    try:
        standings = await followed.current()
        while not followed.is_complete:
            standings = await followed.current()
        while followed.games_without_luck and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(LOOK_SECONDS)
            standings = await followed.current()
    finally:
        await followed.close()
    followed.print_notes()
    return standings


class FollowedStandings:
    """The leaderboards of a database that a server may be using; each `current` reads only new events."""

    def __init__(self, engine: Engine, ladder_id: str | None) -> None:
        self._ladders = load_ladders()
        self._ladder = None if ladder_id is None else find_rated_ladder(ladder_id)
        self._leaderboards = LiveLeaderboards(engine, self._ladders, None, pause_seconds=0.0)

    async def current(self) -> list[Standings]:
        """Return the chosen leaderboard, or all with rated games."""
        try:
            await self._leaderboards.update()
        except SQLAlchemyError as error:
            raise CommandError(f"the database cannot be read: {str(error).splitlines()[0]}") from None
        if self._ladder is not None:
            return [_standings(self._ladder, await self._leaderboards.rows(self._ladder.id))]
        leaderboards = [_standings(each, await self._leaderboards.rows(each.id)) for each in self._ladders.values()]
        return [standings for standings in leaderboards if standings.rows]

    @property
    def is_complete(self) -> bool:
        """True if the hashes of all events have been verified."""
        return self._leaderboards.is_verified

    @property
    def games_without_luck(self) -> int:
        """The number of games that count unadjusted, because their luck is not measured yet."""
        return self._leaderboards.unadjusted_games

    def print_notes(self) -> None:
        """Print how many matches do not count, and how many games are not adjusted for luck."""
        out = console(sys.stderr)
        if self._leaderboards.broken_matches:
            what = pluralize(self._leaderboards.broken_matches, "match", "matches")
            out.print(f"{what} left out, because the chain of hashes is broken; see: evilpegs database check")
        if self.games_without_luck:
            what = pluralize(self.games_without_luck, "game")
            out.print(f"{what} counted without luck, which is not measured yet; see: evilpegs database rebuild")

    async def close(self) -> None:
        """Stop reading the database."""
        await self._leaderboards.close()


def find_rated_ladder(ladder_id: str) -> Ladder:
    """Return a built-in ladder; raise CommandError if there is none, or if it has no leaderboard."""
    ladders = load_ladders()
    ladder = ladders.get(ladder_id)
    if ladder is None:
        raise unknown_ladder(ladder_id, [each.id for each in ladders.values() if each.rated])
    if not ladder.rated:
        raise practice_ladder(ladder.id)
    return ladder


def _standings(ladder: Ladder, rows: Iterable[LeaderboardRow]) -> Standings:
    info = ladder.info()
    fields = StandingsRow.model_fields
    return Standings(
        ladder=info.id,
        rules=info.rules,
        codemaker=info.codemaker,
        guess_limit=info.guess_limit,
        rows=tuple(StandingsRow(**{name: getattr(row, name) for name in fields}) for row in rows),
        page=1,
        pages=1,
    )
