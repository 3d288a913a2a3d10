"""The rounds as they are shown: a table that is looked at once per second."""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Final

from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_server.leaderboard.luck import LuckKeeper
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.show.streams import Streams
from evilpegs_server.storage.rounds import Round, load_rounds

LOOK_SECONDS: Final = 1.0


class ShownRounds:
    """The rounds whose ladders are known; their ladders are added to ``ladders``, and their luck is measured.

    ``wall_ms`` returns the Unix time.
    """

    def __init__(
        self,
        engine: Engine,
        ladders: dict[str, Ladder],
        luck: LuckKeeper,
        streams: Streams,
        log: BoundLogger,
        wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._engine, self._luck, self._streams, self._log = engine, luck, streams, log
        self.ladders = ladders
        self.wall_ms = wall_ms
        self._rounds: dict[str, Round] = {}
        self._following: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._rounds = {each.id: each for each in await asyncio.to_thread(load_rounds, self._engine)}
        self._add_ladders()
        self._following = asyncio.create_task(self._follow())

    def close(self) -> None:
        if self._following is not None:
            self._following.cancel()

    def __iter__(self) -> Iterator[Round]:
        return (each for each in self._rounds.values() if each.id in self.ladders)

    def get(self, name: str) -> Round | None:
        return next((each for each in self if each.id == name), None)

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except Exception as error:  # noqa: BLE001 - the disk may be better a second later
                self._log.warning("cannot look at the rounds", error=type(error).__name__)

    async def look(self) -> None:
        """Read the rounds, and say in the streams which are over since the last look."""
        before = self._rounds
        self._rounds = {each.id: each for each in await asyncio.to_thread(load_rounds, self._engine)}
        self._add_ladders()
        for each in self._rounds.values():
            if each.published is not None and (each.id not in before or before[each.id].published is None):
                self._luck.look_again()
                self._streams.announce(each.id)

    def _add_ladders(self) -> None:
        for each in self._rounds.values():
            if each.id not in self.ladders and each.base in self.ladders:
                self.ladders[each.id] = ladder = each.ladder(self.ladders)
                self._luck.add(ladder)
