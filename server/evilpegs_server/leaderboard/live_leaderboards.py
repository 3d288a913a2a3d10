"""The leaderboards of a running server, in memory and up to date.

At the start all stored games are counted; from then on, new games are counted at most twice per second. The database
does this in a thread without the interpreter lock, so running games are not disturbed. While nobody reads, listens to
or publishes the leaderboards, no new games are counted; the next reader waits until they are counted.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

import orjson
from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_protocol.server_messages import LadderInfo
from evilpegs_server.leaderboard.row import LeaderboardRow, leaderboard_document
from evilpegs_server.leaderboard.stored_results import StoredLeaderboards
from evilpegs_server.match.ladders import Ladder

_T = TypeVar("_T")

# a finished match is on its leaderboard within a second
UPDATE_SECONDS: Final = 0.5
# after so long without a reader, updates pause, because they take processor time from guesses
REST_SECONDS: Final = 60.0

# after each millisecond of work: without pauses, the work that gathers in a second would be done at once, and delay
# all guesses that arrive within about 20 milliseconds
PAUSE_SECONDS: Final = 0.004


class LiveLeaderboards:
    """The leaderboards of all rated ladders; call every method on the thread of the event loop."""

    def __init__(
        self,
        engine: Engine,
        ladders: Mapping[str, Ladder],
        log: BoundLogger | None,
        update_seconds: float = UPDATE_SECONDS,
        rest_seconds: float = REST_SECONDS,
        pause_seconds: float = PAUSE_SECONDS,
    ) -> None:
        self._counting = StoredLeaderboards(engine, ladders, partial(time.sleep, pause_seconds))
        self._log = log
        self._update_seconds = update_seconds
        self._thread = ThreadPoolExecutor(1, "leaderboards")
        self._rows: dict[str, tuple[LeaderboardRow, ...]] = {}
        self._versions: dict[str, int] = {}
        self._bodies: dict[str, tuple[int, bytes]] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._known_broken = 0
        self._listeners: list[Callable[[], None]] = []
        self._filled, self._woken = asyncio.Event(), asyncio.Event()
        self._rest_seconds = rest_seconds
        self._read_at = 0.0
        self._resting = self._never_rests = False
        self._read = asyncio.Event()
        self._catching_up: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start to count in the background; `rows` waits until all stored games are counted."""
        self._following = asyncio.create_task(self._follow())

    async def close(self) -> None:
        """Stop counting; a count in progress is ended early."""
        self._counting.stopped = True
        if self._following is not None:
            self._following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._following
        await asyncio.to_thread(self._thread.shutdown)

    def wake(self) -> None:
        """Note that events may have been stored."""
        self._woken.set()

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener``, which must not raise or wait, whenever rows have changed, and `keep_counting`."""
        self._listeners.append(listener)
        self.keep_counting()

    def keep_counting(self) -> None:
        """Count new games from now on even if nobody reads; the live feed needs this."""
        self._never_rests = True
        self._read.set()

    async def update(self) -> None:
        """Count every stored game and verify the next events; a later update catches up if the database fails."""
        await self._count()
        if await self._run(self._counting.verify):
            await self._count()
        if self.broken_matches > self._known_broken and self._log is not None:
            self._known_broken = self.broken_matches
            what = "matches do not count, because their hashes are broken; evilpegs database check lists them"
            self._log.error(what, matches=self._known_broken)
        if not self._counting.is_verified:
            self._woken.set()

    async def _count(self, pausing: bool = True) -> None:
        changed = await self._run(partial(self._counting.advance, pausing))
        for ladder, rows in changed.items():
            self._rows[ladder] = rows
            self._versions[ladder] = self.version(ladder) + 1
        self._filled.set()
        if changed:
            for listener in self._listeners:
                listener()

    async def _run(self, step: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, step)

    async def refresh(self) -> None:
        """Note a reader, and wait until games that ended while nobody read are counted; call this before `version`."""
        await self._filled.wait()
        self._read_at = asyncio.get_running_loop().time()
        if self._resting and self._catching_up is None:
            self._catching_up = asyncio.create_task(self._catch_up())
        if self._catching_up is not None:
            await asyncio.shield(self._catching_up)

    @property
    def is_verified(self) -> bool:
        """True if the hashes of all events from before the last count are verified."""
        return self._counting.is_verified

    @property
    def broken_matches(self) -> int:
        """The number of matches found so far that do not count."""
        return len(self._counting.broken)

    @property
    def unadjusted_games(self) -> int:
        """The number of games counted without their luck, because it is not stored yet."""
        return self._counting.awaited

    @property
    def filled(self) -> bool:
        """True once all games from before the start are counted."""
        return self._filled.is_set()

    async def rows(self, ladder: str) -> tuple[LeaderboardRow, ...]:
        """Return the rows, best first, after a `refresh`; no rows if the ladder is unknown or not rated."""
        await self.refresh()
        return self._rows.get(ladder, ())

    async def player_rows(self, player: str) -> list[tuple[str, LeaderboardRow]]:
        """Return a row per ladder id and client version, after a `refresh`; only rows on a leaderboard have a rank."""
        await self.refresh()
        return await self._run(partial(self._counting.player_rows, player))

    async def body(self, info: LadderInfo) -> bytes:
        """Return the leaderboard as JSON text, after a `refresh`."""
        await self.refresh()
        # the text is made once per version, and in a thread, because long leaderboards take milliseconds
        async with self._locks.setdefault(info.id, asyncio.Lock()):
            version = self.version(info.id)
            known = self._bodies.get(info.id)
            if known is not None and known[0] == version:
                return known[1]
            rows = await self.rows(info.id)
            body = await asyncio.to_thread(_encode, info, rows)
            self._bodies[info.id] = version, body
            return body

    def version(self, ladder: str) -> int:
        """Return a number that grows whenever the rows change."""
        return self._versions.get(ladder, 0)

    async def _follow(self) -> None:
        while True:
            self._woken.clear()
            await self._try(self.update)
            await asyncio.sleep(self._update_seconds)
            await self._woken.wait()
            if not self._never_rests and asyncio.get_running_loop().time() - self._read_at >= self._rest_seconds:
                self._read.clear()
                self._resting = True
                await self._read.wait()

    async def _catch_up(self) -> None:
        await self._try(partial(self._count, pausing=False))  # a reader waits
        self._resting, self._catching_up = False, None
        self._read.set()

    async def _try(self, step: Callable[[], Awaitable[None]]) -> None:
        try:
            await step()
        except Exception as error:  # noqa: BLE001 - the disk may be better a second later
            if self._log is not None:
                self._log.warning("cannot update the leaderboards yet", error=type(error).__name__)
            self._woken.set()


def _encode(info: LadderInfo, rows: tuple[LeaderboardRow, ...]) -> bytes:
    return orjson.dumps(leaderboard_document(info, rows))
