"""The luck of finished games, measured in a worker process and stored beside the results of the games.

Games that have just ended are measured first, and games from before the start when no others wait. A game whose luck
cannot be measured counts on leaderboards without its luck.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from structlog.stdlib import BoundLogger

from evilpegs_game.luck.game_luck import load_value_curve
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.derived.games import StoredGame, load_newest_game, load_stored_games, sum_games
from evilpegs_server.timing import Timing
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.tasks import MeasureLuck

GAMES: Final = 1_000  # looked at in one step; new games wait for it
# games times codes of their rules, per measurement; one game may exceed it. With far fewer, the event loop would spend
# more time on sending them than the worker on measuring: fifty games on 4x6 take about 15 ms
CODES: Final = 100_000
_COST: Final = 1


def curve_hashes(ladders: Iterable[Ladder]) -> dict[str, str]:
    """Return the hashes of value curves by ladder id; only rated ladders with a fixed codemaker may have a curve."""
    rated = [ladder for ladder in ladders if ladder.rated and ladder.codemaker == "fixed"]
    curves = {ladder.id: load_value_curve(ladder.rules, ladder.guess_limit) for ladder in rated}
    return {ladder: curve.hash for ladder, curve in curves.items() if curve is not None}


class LuckKeeper:
    """A task that measures and stores the luck of games on ladders with a value curve; it calls ``stored`` then."""

    def __init__(
        self,
        derived: DerivedFile,
        pool: TaskPool,
        ladders: Mapping[str, Ladder],
        log: BoundLogger,
        stored: Callable[[], None],
        timing: Timing,
    ) -> None:
        self._derived, self._pool, self._log, self._stored = derived, pool, log, stored
        self._ladders = dict(ladders)
        self._curves = curve_hashes(ladders.values())
        self._timing = timing
        self._woken = asyncio.Event()
        self._following: asyncio.Task[None] | None = None
        self._begun = -1
        self.is_done = not self._curves
        """Whether every game was looked at."""
        self._newest = self._oldest = 0
        """Games up to the newest and above the oldest were looked at."""

    @property
    def is_measuring(self) -> bool:
        """False where another process has the derived file, and measures."""
        return self._derived.is_writer

    def start(self) -> None:
        if self._curves:
            self._following = asyncio.create_task(self._follow())

    def add(self, ladder: Ladder) -> None:
        self._ladders[ladder.id] = ladder
        self._curves |= curve_hashes([ladder])
        if self._curves and self._following is None:
            self.start()

    def look_again(self) -> None:
        """Measure games that could not be read before, because their round was sealed."""
        self._begun = -1
        self._woken.set()

    def wake(self) -> None:
        self._woken.set()

    async def close(self) -> None:
        """Stop; luck that is not stored yet is measured after the next start."""
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait([self._following])

    async def _follow(self) -> None:
        await self._woken.wait()  # before the first count there is nothing to measure
        while True:
            self._woken.clear()
            if not self._derived.is_writer:
                await asyncio.sleep(self._timing.luck_retry_seconds)  # whoever writes the file measures
                continue
            try:
                self.is_done = not await self._measure_next()
                if self.is_done:
                    await asyncio.sleep(self._timing.luck_look_seconds)
                    await self._woken.wait()
            except Exception as error:  # noqa: BLE001 - the disk or the worker may be better later
                self._log.warning("cannot measure the luck of games yet", error=type(error).__name__)
                await asyncio.sleep(self._timing.luck_retry_seconds)

    async def _measure_next(self) -> bool:
        newest, oldest, games = await asyncio.to_thread(self._load_next)
        by_ladder: defaultdict[str, list[StoredGame]] = defaultdict(list)
        for game in games:
            by_ladder[game.ladder].append(game)
        for ladder, each in by_ladder.items():
            size = max(1, CODES // self._ladders[ladder].rules.size)
            for first in range(0, len(each), size):
                await self._measure_batch(self._ladders[ladder], each[first : first + size])
        was_last = (newest, oldest) == (self._newest, self._oldest)
        self._newest, self._oldest = newest, oldest
        return not was_last

    def _load_next(self) -> tuple[int, int, list[StoredGame]]:
        with self._derived.engine.connect() as connection:
            end = load_newest_game(connection)
            if self._begun != self._derived.begun:
                self._begun, self._newest, self._oldest = self._derived.begun, end, end
            newest, oldest = min(self._newest + GAMES, end), self._oldest
            after, last = self._newest, newest
            if after == last:
                after, last = max(0, oldest - GAMES), oldest
                oldest = after
            sums = sum_games(connection, self._curves, after, last)
            wanted = [game for each in sums for game in each.unadjusted_games]
            return newest, oldest, load_stored_games(connection, wanted)

    async def _measure_batch(self, ladder: Ladder, games: Sequence[StoredGame]) -> None:
        task = MeasureLuck(ladder.rules, ladder.guess_limit, tuple(tuple(game.turns) for game in games))
        measured = await self._pool.run(self, _COST, task)
        curve = self._curves[ladder.id]
        stored = [
            (luck, curve, game.match, game.game) for game, luck in zip(games, measured, strict=True) if luck is not None
        ]
        if stored:
            await asyncio.to_thread(self._derived.store_luck, stored)
            self._stored()
