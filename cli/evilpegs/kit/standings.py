"""Leaderboards computed from the games in a server's database."""

import asyncio
import sys
from collections.abc import Mapping
from functools import partial
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from evilpegs.errors import CommandError, practice_ladder, unknown_ladder
from evilpegs.output import console, pluralize
from evilpegs_protocol.leaderboard import LeaderboardDocument
from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.leaderboard.row import leaderboard_document
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.derived.games import END_OF_TIME
from evilpegs_server.storage.log.archive import load_last_event_id
from evilpegs_server.storage.log.ladders import known_ladders

RESULTS_SECONDS: Final = 5.0  # for a running server to derive the results of the last events
LOOK_SECONDS: Final = 0.1


async def load_standings(
    derived: DerivedFile, ladder_id: str | None = None, luck_seconds: float = 0.0, until: int = END_OF_TIME
) -> list[LeaderboardDocument]:
    """Return one leaderboard, or all with rated games; wait up to ``luck_seconds`` for a server to measure luck."""
    return await FollowedStandings(derived, ladder_id, until).complete(luck_seconds)


class FollowedStandings:
    """The leaderboards of a database that a server may be using; each `current` reads only new events."""

    def __init__(self, derived: DerivedFile, ladder_id: str | None, until: int = END_OF_TIME) -> None:
        self._derived = derived
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

    async def complete(self, luck_seconds: float = 0.0) -> list[LeaderboardDocument]:
        """Return those with every event, and close; wait up to ``luck_seconds`` for a server to measure luck."""
        found, out = self.leaderboards.counting, console(sys.stderr)
        now = asyncio.get_running_loop().time
        begun, last = now(), load_last_event_id(self._derived.engine)
        try:
            standings = await self.current()
            while self._derived.cursor.position < last and now() < begun + RESULTS_SECONDS:
                await asyncio.sleep(LOOK_SECONDS)
                standings = await self.current()
            if self._derived.cursor.position < last:
                raise CommandError("the results are still being derived by a server; try again soon")
            while not found.is_verified:
                standings = await self.current()
            while found.awaited and now() < begun + luck_seconds:
                await asyncio.sleep(LOOK_SECONDS)
                standings = await self.current()
        finally:
            await self.leaderboards.close()
        if found.broken:
            what = pluralize(len(found.broken), "match", "matches")
            out.print(f"{what} left out, because the chain of hashes is broken; see: evilpegs database check")
        if found.awaited:
            what = pluralize(len(found.awaited), "game")
            out.print(f"{what} counted without luck, which evilpegs serve and evilpegs show measure")
        return standings


def _find_rated_ladder(ladders: Mapping[str, Ladder], ladder_id: str) -> Ladder:
    ladder = ladders.get(ladder_id)
    if ladder is None:
        raise unknown_ladder(ladder_id, [each.id for each in ladders.values() if each.rated])
    if not ladder.rated:
        raise practice_ladder(ladder.id)
    return ladder
