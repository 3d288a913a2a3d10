import asyncio
from functools import partial
from typing import Final

import orjson
from fastapi import HTTPException
from sqlalchemy import Engine

from evilpegs_game.live.cache import ByteCache
from evilpegs_game.rules import Rules
from evilpegs_server.record.recorded_match import MatchReplay, add_analyses, read_replay, replay_document
from evilpegs_server.show.follower import has_match
from evilpegs_server.site.responses import unknown_match
from evilpegs_server.storage.archive import load_entries
from evilpegs_server.storage.reads import BusyError
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.tasks import AnalyzeGames

# JSON texts of analyzed matches
MAX_BYTES: Final = 8 << 20
MAX_WAITING: Final = 16
"""The most analyses that run or wait."""
# arbitrary, because all analyses wait in one queue
_COST: Final = 1


class MatchAnalyses:
    """Analyses of finished matches, computed on demand and kept; requests for one match share a computation."""

    def __init__(self, engine: Engine, pool: TaskPool, max_bytes: int = MAX_BYTES) -> None:
        self._engine = engine
        self._pool = pool
        self.texts: ByteCache[bytes] = ByteCache(max_bytes)
        self._running: dict[str, asyncio.Task[bytes]] = {}

    async def text(self, match: str) -> bytes:
        """Return an analyzed match as JSON text. Raises HTTPException, BusyError or RecordUnreadableError."""
        text = self.texts.get(match)
        if text is not None and await asyncio.to_thread(has_match, self._engine, match):
            return text
        if match not in self._running:
            if len(self._running) >= MAX_WAITING:
                raise BusyError("too many matches are waiting for analysis; try again in a minute")
            task = self._running[match] = asyncio.create_task(self._compute(match))
            task.add_done_callback(partial(self._forget, match))
        return await asyncio.shield(self._running[match])

    def close(self) -> None:
        for task in self._running.values():
            task.cancel()

    def _forget(self, match: str, task: asyncio.Task[bytes]) -> None:
        del self._running[match]
        if not task.cancelled():
            task.exception()  # an error that nobody waits for is no fault

    async def _compute(self, match: str) -> bytes:
        replay = await asyncio.to_thread(_read_finished_match, self._engine, match)
        games = await asyncio.to_thread(lambda: replay.histories)
        task = AnalyzeGames(Rules.parse(replay.record.started.rules), games)
        analyses = await self._pool.run(self, _COST, task)
        text = await asyncio.to_thread(_document_text, replay, analyses)
        self.texts.put(match, text, len(text))
        return text


def _read_finished_match(engine: Engine, match: str) -> MatchReplay:
    entries = load_entries(engine, match)
    if not entries:
        raise unknown_match(match)
    if entries[-1].type != "match_over":  # an analysis would help its player
        raise HTTPException(409, "the match is still being played; it is analyzed when it is over")
    return read_replay(match, entries)


def _document_text(replay: MatchReplay, analyses: bytes) -> bytes:
    document = replay_document(replay)
    add_analyses(document, orjson.loads(analyses))
    return orjson.dumps(document)
