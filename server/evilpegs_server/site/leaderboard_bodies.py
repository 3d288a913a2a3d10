"""The leaderboards as JSON text, which is made once for each version of a leaderboard."""

import asyncio

import orjson

from evilpegs_protocol.server_messages import LadderInfo
from evilpegs_server.scoring.leaderboard import LeaderboardRow, leaderboard_document
from evilpegs_server.storage.leaderboards import LiveLeaderboards
from evilpegs_server.storage.reads import Reads


class LeaderboardBodies:
    """The texts of the leaderboards, one per ladder. They are made in a thread, because long ones take milliseconds."""

    def __init__(self, leaderboards: LiveLeaderboards, reads: Reads) -> None:
        self._leaderboards = leaderboards
        self._reads = reads
        self._bodies: dict[str, tuple[int, bytes]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def body(self, info: LadderInfo) -> bytes:
        """Return the JSON of the leaderboard of a ladder. Many requests at once wait for the same text."""
        async with self._locks.setdefault(info.id, asyncio.Lock()):
            version = self._leaderboards.version(info.id)
            known = self._bodies.get(info.id)
            if known is not None and known[0] == version:
                return known[1]
            rows = await self._leaderboards.rows(info.id)
            body = await self._reads.run(_encode, info, rows)
            self._bodies[info.id] = version, body
            return body


def _encode(info: LadderInfo, rows: tuple[LeaderboardRow, ...]) -> bytes:
    return orjson.dumps(leaderboard_document(info, rows))
