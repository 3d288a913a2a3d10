"""The leaderboards of all rated ladders, in memory."""

import asyncio
from collections.abc import Mapping

from sqlalchemy import Engine

from evilpegs_protocol.codec import decode_record_event
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.scoring.leaderboard import LeaderboardRow, leaderboard
from evilpegs_server.storage.archive import load_event_texts, load_last_event_id


class LiveLeaderboards:
    """The leaderboards of a server."""

    def __init__(self, engine: Engine, ladders: Mapping[str, Ladder]) -> None:
        self._engine = engine
        self._ladders = ladders

    async def rows(self, ladder: str) -> tuple[LeaderboardRow, ...]:
        """Return the rows of a ladder, best first."""
        return await asyncio.to_thread(self._load, ladder)

    async def player_rows(self, player: str) -> list[tuple[str, LeaderboardRow]]:
        """Return the rows of a player with the ids of their ladders."""
        return [
            (ladder.id, row)
            for ladder in self._ladders.values()
            if ladder.rated
            for row in await self.rows(ladder.id)
            if row.player == player
        ]

    def version(self, ladder: str) -> int:  # noqa: ARG002 - one number for all
        """Return a number that grows when the rows of the ladder change."""
        return load_last_event_id(self._engine)

    def _load(self, ladder: str) -> tuple[LeaderboardRow, ...]:
        events = (decode_record_event(text) for text in load_event_texts(self._engine, [ladder]))
        return tuple(leaderboard(events, ladder))
