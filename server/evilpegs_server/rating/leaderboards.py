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
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.rating.stored_results import StoredLeaderboards
from evilpegs_server.scoring.leaderboard import LeaderboardRow, leaderboard_document

_T = TypeVar("_T")

UPDATE_SECONDS: Final = 0.5
"""The shortest time in seconds between two updates. A finished match is on its leaderboard within a second."""
REST_SECONDS: Final = 60.0
"""The seconds without a reader of leaderboards after which new games are no longer counted, until the next reader.

Counting games and verifying the hashes of events take processor time, so a server whose leaderboards nobody reads
answers more guesses.
"""

PAUSE_SECONDS: Final = 0.004
"""The seconds that the counting thread pauses after each millisecond of work.

Without pauses, the work that gathers in a second would be done at once, and delay all guesses that arrive within about
20 milliseconds.
"""


class LiveLeaderboards:
    """The leaderboards of all rated ladders, kept up to date in memory.

    ``ladders`` has all ladders by id. Failures, and matches that do not count because their hashes are wrong, are
    reported to ``log`` if it is not None. ``update_seconds`` is the shortest time between two updates,
    ``rest_seconds`` the time without a reader after which new games are no longer counted until the next reader, and
    ``pause_seconds`` the pause of the counting thread after each millisecond of work.

    Call every method on the thread of the event loop.
    """

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
        """Begin to count the stored games, and return at once. `rows` waits until all of them are counted."""
        self._following = asyncio.create_task(self._follow())

    async def close(self) -> None:
        """Stop counting, and return when the counting thread has ended. A count in progress is ended early."""
        self._counting.stopped = True
        if self._following is not None:
            self._following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._following
        await asyncio.to_thread(self._thread.shutdown)

    def wake(self) -> None:
        """Note that events may have been stored, so that new games are counted soon, and return at once.

        Pass this method to `Audience.listen`.
        """
        self._woken.set()

    def listen(self, listener: Callable[[], None]) -> None:
        """Register ``listener``, which is called whenever rows of a ladder have changed.

        The listener is called on the event loop, and must not raise or wait. From now on, new games are counted even if
        nobody reads the leaderboards.
        """
        self._listeners.append(listener)
        self.keep_counting()

    def keep_counting(self) -> None:
        """Count new games from now on even if nobody reads the leaderboards. The live feed needs this."""
        self._never_rests = True
        self._read.set()

    async def update(self) -> None:
        """Count every game that is stored now, and verify the hashes of the next events that were not verified yet.

        At most `stored_results.VERIFIED` events are verified. If a match turns out to be broken, all games are counted
        again without it.

        Raises:
            SQLAlchemyError: the database cannot be read. A later update counts and verifies what this one could not.
        """
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
        """Count every game that is stored now, and call the listeners if rows have changed.

        If ``pausing`` is True, the counting thread pauses after each millisecond of work, so that it does not delay
        guesses.
        """
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
        """Note that somebody reads the leaderboards, and wait until the games that ended while nobody read are counted.

        At the start of the server, wait until all stored games are counted. Call this method before `version`.
        """
        await self._filled.wait()
        self._read_at = asyncio.get_running_loop().time()
        if self._resting and self._catching_up is None:
            self._catching_up = asyncio.create_task(self._catch_up())
        if self._catching_up is not None:
            await asyncio.shield(self._catching_up)

    @property
    def is_verified(self) -> bool:
        """True if the hashes of all events that were stored before the last count are verified."""
        return self._counting.is_verified

    @property
    def broken_matches(self) -> int:
        """The number of matches found so far that do not count, because their chains of hashes are broken."""
        return len(self._counting.broken)

    @property
    def unadjusted_games(self) -> int:
        """The number of games that were counted without their luck, because it is not stored yet.

        Only games on ladders with a value curve, with which luck is measured, are included.
        """
        return self._counting.awaited

    @property
    def filled(self) -> bool:
        """True once all games from before the start are counted. Until then, `rows` waits."""
        return self._filled.is_set()

    async def rows(self, ladder: str) -> tuple[LeaderboardRow, ...]:
        """Return the leaderboard rows of the ladder with the id ``ladder``, best first, waiting as `refresh` does.

        The tuple is empty if the ladder is unknown, not rated or without games.
        """
        await self.refresh()
        return self._rows.get(ladder, ())

    async def player_rows(self, player: str) -> list[tuple[str, LeaderboardRow]]:
        """Return the results of the player with the name ``player``, waiting as `refresh` does.

        The list has a pair for each ladder and each version of the player's client: the id of the ladder, and the row.
        Only a row that is on the leaderboard of its ladder has a rank. The list is empty for an unknown player.
        """
        await self.refresh()
        return await self._run(partial(self._counting.player_rows, player))

    async def body(self, info: LadderInfo) -> bytes:
        """Return the leaderboard of the ladder ``info`` as JSON text in UTF-8, waiting as `refresh` does.

        The text is made once per `version` of the leaderboard, in a thread, because long leaderboards take
        milliseconds. Concurrent callers share it.
        """
        await self.refresh()
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
        """Return a number, from 0, that grows whenever the rows of the ladder with the id ``ladder`` change."""
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
        """Count the games that ended while nobody read the leaderboards, and then resume regular updates.

        The counting thread does not pause, because a reader waits.
        """
        await self._try(partial(self._count, pausing=False))
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
