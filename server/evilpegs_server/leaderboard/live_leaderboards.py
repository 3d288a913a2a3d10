"""The leaderboards, in memory and up to date: new games are counted at most once per second."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from structlog.stdlib import BoundLogger

from evilpegs_game.errors import EvilpegsError
from evilpegs_protocol.leaderboard import LeaderboardRow
from evilpegs_protocol.server_messages import LadderInfo, PlayerKind
from evilpegs_server.leaderboard.row import leaderboard_text
from evilpegs_server.leaderboard.stored_results import StoredLeaderboards
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.representation import Representation
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.derived.games import END_OF_TIME
from evilpegs_server.timing import Timing

_T = TypeVar("_T")


class CountingError(EvilpegsError):
    """The results are still being counted; a later attempt may succeed."""


class LiveLeaderboards:
    """The leaderboards of all rated ladders; call every method on the thread of the event loop."""

    def __init__(
        self,
        derived: DerivedFile,
        ladders: Mapping[str, Ladder],
        log: BoundLogger | None,
        last_event: Callable[[], int],  # the last that may be counted
        timing: Timing = Timing(),
        until: int = END_OF_TIME,  # in Unix milliseconds; what began or ended then does not count
    ) -> None:
        self._derived = derived
        self.counting = StoredLeaderboards(derived, ladders, until)
        self._log = log
        self._last_event = last_event
        self._timing = timing
        self._thread = ThreadPoolExecutor(1, "leaderboards")
        self._rows: dict[str, tuple[LeaderboardRow, ...]] = {}
        self._shown: dict[tuple[str, PlayerKind | None], tuple[tuple[LeaderboardRow, ...], Representation]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._known_broken = 0
        self._changed: Callable[[], None] = lambda: None
        self._is_counted = self._is_failing = False
        self._woken = asyncio.Event()
        self._following: asyncio.Task[None] | None = None

    async def start(self, changed: Callable[[], None] = lambda: None) -> None:
        """Count what is stored, now and whenever `wake` is called; ``changed`` must neither raise nor wait."""
        self._changed = changed
        self._following = asyncio.create_task(self._follow())

    async def close(self) -> None:
        self.counting.stopped = True
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait([self._following])
        await asyncio.to_thread(self._thread.shutdown)

    def wake(self) -> None:
        self._woken.set()

    async def update(self) -> None:
        """Count every stored game and verify the next events; a later update catches up if the database fails."""
        await self._count()
        if await self._run(self.counting.verify):
            await self._count()
        if len(self.counting.broken) > self._known_broken and self._log is not None:
            self._known_broken = len(self.counting.broken)
            what = "matches do not count, because their hashes are broken; evilpegs database check lists them"
            self._log.error(what, matches=self._known_broken)
        if not self.counting.is_verified:
            self._woken.set()

    async def _count(self) -> None:
        changed = await self._run(partial(self.counting.advance, self._last_event()))
        self._rows |= changed
        self._is_counted = True
        if changed:
            self._changed()

    async def _run(self, step: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, step)

    async def wait_until_filled(self) -> None:
        """Wait for the first count, at most ``first_count_seconds``. Raises CountingError."""
        await self._wait_until(lambda: self.filled)

    async def wait_until_derived(self) -> None:
        """Wait likewise until the results of all games are in the derived file, which comes before the count."""
        await self._wait_until(lambda: self._is_derived)

    async def _wait_until(self, condition: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(self._timing.first_count_seconds):
                while not condition():  # noqa: ASYNC110 - another thread derives and counts
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise CountingError(self.why_unfilled) from None

    @property
    def why_unfilled(self) -> str:
        """Why readers still wait for the first count, for people."""
        if self._is_failing:
            return "the results cannot be counted now; the log of the server says why"
        doing, done = ("counted", self.counting) if self._is_derived else ("derived", self._derived.cursor)
        return f"the results are being {doing}, {done.share_done:.0%} done; try again soon"

    @property
    def _is_derived(self) -> bool:
        return self._derived.cursor.share_done == 1.0

    @property
    def filled(self) -> bool:
        """True unless results from before the start are still derived or counted."""
        return self._is_counted and self._is_derived

    async def rows(self, ladder: str) -> tuple[LeaderboardRow, ...]:
        """Return the rows, best first; none if the ladder is unknown or not rated."""
        await self.wait_until_filled()
        return self._rows.get(ladder, ())

    async def player_rows(self, player: str) -> list[tuple[str, LeaderboardRow]]:
        await self.wait_until_filled()
        return await self._run(partial(self.counting.player_rows, player))

    async def shown(self, info: LadderInfo, kind: PlayerKind | None = None) -> Representation:
        """Return the leaderboard as JSON text, with the rows of this kind of players only; their ranks stay."""
        await self.wait_until_filled()
        async with self._locks[info.id]:
            rows = self._rows.get(info.id, ())
            known = self._shown.get((info.id, kind))
            if known is None or known[0] is not rows:  # once for the same rows
                text = await asyncio.to_thread(leaderboard_text, info, rows, kind)
                shown = Representation(text, partial(self._is_current, info.id, rows))
                known = self._shown[info.id, kind] = rows, shown
            return known[1]

    def _is_current(self, ladder: str, rows: tuple[LeaderboardRow, ...]) -> bool:
        return self.filled and self._rows.get(ladder, ()) is rows

    async def _follow(self) -> None:
        while True:
            self._woken.clear()
            try:
                await self.update()
                self._is_failing = False
            except Exception as error:  # noqa: BLE001 - the disk may be better a second later
                if self._log is not None and not self._is_failing:
                    self._log.warning("cannot update the leaderboards yet", error=type(error).__name__)
                self._is_failing = True
                self._woken.set()
            await asyncio.sleep(self._timing.count_seconds)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._timing.derived_look_seconds):
                    await self._woken.wait()
