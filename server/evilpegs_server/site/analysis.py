"""Analyses that are computed in the worker process on demand and kept: of matches, and of positions without a match."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from functools import partial
from typing import Any, Final

import orjson
from fastapi import HTTPException

from evilpegs_game.errors import GameError
from evilpegs_game.feedback import parse_turns
from evilpegs_game.live.cache import ByteCache
from evilpegs_game.rules import Rules
from evilpegs_protocol.commitment import seed_tie_index
from evilpegs_server.limits import NetworkCounter
from evilpegs_server.record.recorded_match import MatchReplay, add_analyses, evil_ties, read_replay, replay_document
from evilpegs_server.show.follower import has_match
from evilpegs_server.site.responses import RETRY_SECONDS, unknown_match
from evilpegs_server.storage.log.archive import load_entries
from evilpegs_server.storage.queries import Reader
from evilpegs_server.storage.reads import BusyError
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.tasks import AdviseOnPosition, AnalyzeGames

# JSON texts, of matches and as much of positions
MAX_BYTES: Final = 8 << 20
MAX_WAITING: Final = 16
"""The most analyses of matches that run or wait."""
PATIENCE_SECONDS: Final = 2.0 * RETRY_SECONDS
"""How long a position keeps its place after its last request."""
MAX_TURNS: Final = 20
MAX_CODES: Final = 1_000_000
# arbitrary, because all analyses wait in one queue
_COST: Final = 1


class _Wish:
    """The wish for a text: it lasts until nobody has waited for the text for `PATIENCE_SECONDS`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._waiting, self._left = clock, 0, 0.0

    async def wait(self, task: asyncio.Task[bytes]) -> bytes:
        self._waiting += 1
        try:
            return await asyncio.shield(task)
        finally:
            self._waiting -= 1
            self._left = self._clock()

    def lasts(self) -> bool:
        return self._waiting > 0 or self._clock() < self._left + PATIENCE_SECONDS


class _KeptTexts:
    """Texts that are computed once for all who ask at a time, and kept."""

    def __init__(self, pool: TaskPool, max_bytes: int = MAX_BYTES) -> None:
        self._pool = pool
        self.texts: ByteCache[bytes] = ByteCache(max_bytes)
        self._running: dict[Hashable, tuple[asyncio.Task[bytes], _Wish]] = {}

    def close(self) -> None:
        for task, _ in self._running.values():
            task.cancel()

    async def _shared(self, key: Hashable, compute: Callable[[_Wish], Coroutine[Any, Any, bytes]]) -> bytes:
        if key not in self._running:
            wish = _Wish(self._pool.clock)
            task = asyncio.create_task(compute(wish))
            self._running[key] = task, wish
            task.add_done_callback(partial(self._forget, key))
        task, wish = self._running[key]
        return await wish.wait(task)

    def _forget(self, key: Hashable, task: asyncio.Task[bytes]) -> None:
        del self._running[key]
        if not task.cancelled():
            task.exception()  # an error that nobody waits for is no fault


class MatchAnalyses(_KeptTexts):
    def __init__(self, engine: Reader, pool: TaskPool, max_bytes: int = MAX_BYTES) -> None:
        super().__init__(pool, max_bytes)
        self._engine = engine

    async def text(self, match: str) -> bytes:
        """Return an analyzed match as JSON text. Raises HTTPException, BusyError or RecordUnreadableError."""
        text = self.texts.get(match)
        if text is not None and await asyncio.to_thread(has_match, self._engine, match):
            return text
        if match not in self._running and len(self._running) >= MAX_WAITING:
            raise BusyError("too many matches are waiting for analysis; try again in a minute")
        return await self._shared(match, lambda _: self._compute(match))  # kept for the next who asks

    async def _compute(self, match: str) -> bytes:
        replay = await asyncio.to_thread(_read_finished_match, self._engine, match)
        games = await asyncio.to_thread(lambda: replay.histories)
        task = AnalyzeGames(Rules.parse(replay.record.started.rules), games, tuple(evil_ties(replay.record)))
        analyses = await self._pool.run(self, _COST, task)
        text = await asyncio.to_thread(_document_text, replay, analyses)
        self.texts.put(match, text, len(text))
        return text


class PositionAnswers(_KeptTexts):
    """The analyses of turns without a match, and advice for the position after them.

    One position at a time is computed for each address, in turns with the others and with matches.
    """

    def __init__(self, pool: TaskPool, most: int, most_per_address: int, max_bytes: int = MAX_BYTES) -> None:
        super().__init__(pool, max_bytes)
        self._most = most
        self._waiting = NetworkCounter(most_per_address)

    async def text(self, position: AdviseOnPosition, address: str | None) -> bytes:
        """Return the answer as JSON text; ``address`` is a `counted_network`. Raises BusyError."""
        key = repr(position)
        text = self.texts.get(key)
        if text is not None:
            return text
        is_full = len(self._running) >= self._most
        if key not in self._running and (is_full or not self._waiting.take(address)):
            self._pool.drop_unwanted()
            raise BusyError("too many positions are waiting for analysis; try again soon")
        return await self._shared(key, partial(self._compute, key, position, address))

    async def _compute(self, key: Hashable, task: AdviseOnPosition, address: str | None, wish: _Wish) -> bytes:
        try:
            text = await self._pool.run((self, address), _COST, task, wish.lasts)
        finally:
            self._waiting.give_back(address)
        self.texts.put(key, text, len(text))
        return text


def parse_position(rules: str, turns: str, codemaker: str = "fixed", seed: str | None = None) -> AdviseOnPosition:
    """Return what the texts of a request mean, such as ``1122:1,0;3344:0,2``. Raises GameError."""
    if seed is not None and codemaker != "evil":
        raise GameError("a seed is for codemaker=evil")
    parsed = Rules.parse(rules)
    if parsed.size > MAX_CODES:
        raise GameError(f"{parsed} has {parsed.size:,} codes; positions are analyzed up to {MAX_CODES:,}")
    each = [text for text in turns.split(";") if text]
    if len(each) > MAX_TURNS:
        raise GameError(f"these are {len(each)} turns; the most are {MAX_TURNS}")
    history = parse_turns(each, parsed)
    if seed is not None:
        return AdviseOnPosition(parsed, history, partial(seed_tie_index, seed))
    return AdviseOnPosition(parsed, history, "worst" if codemaker == "evil" else None)


def _read_finished_match(engine: Reader, match: str) -> MatchReplay:
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
