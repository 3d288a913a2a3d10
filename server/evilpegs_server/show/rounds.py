"""The rounds as they are shown: a table that is looked at once per second."""

import asyncio
from typing import Final

from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_server.leaderboard.luck import LuckKeeper
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.show.streams import Streams
from evilpegs_server.storage.rounds import Round, load_rounds

LOOK_SECONDS: Final = 1.0


class ShownRounds:
    """The rounds whose ladders are known; their ladders are added to ``ladders``, and their luck is measured."""

    def __init__(
        self, engine: Engine, ladders: dict[str, Ladder], luck: LuckKeeper, streams: Streams, log: BoundLogger
    ) -> None:
        self._engine, self._luck, self._streams, self._log = engine, luck, streams, log
        self._ladders = ladders
        self.known: dict[str, Round] = {}

    async def follow(self) -> None:
        """Read the rounds every `LOOK_SECONDS` until canceled, and say in the streams which are over."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self._look()
            except Exception as error:  # noqa: BLE001 - the disk may be better a second later
                self._log.warning("cannot look at the rounds", error=type(error).__name__)

    async def _look(self) -> None:
        were_over = self._over()
        await self.read()
        for each in self._over() - were_over:
            self._luck.look_again()
            self._streams.announce(each)

    def _over(self) -> set[str]:
        return {each.id for each in self.known.values() if each.published is not None}

    async def read(self) -> None:
        rounds = await asyncio.to_thread(load_rounds, self._engine)
        for each in rounds:
            if each.id not in self._ladders and each.base in self._ladders:
                self._ladders[each.id] = ladder = each.ladder(self._ladders)
                self._luck.add(ladder)
        self.known = {each.id: each for each in rounds if each.id in self._ladders}
