"""The rounds as they are shown: a table that is looked at once per second."""

import asyncio

from evilpegs_server.leaderboard.luck import LuckKeeper
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.show.streams import Streams
from evilpegs_server.storage.log.rounds import Round, load_rounds
from evilpegs_server.storage.queries import Reader


class ShownRounds:
    """The rounds whose ladders are known; their ladders are added to ``ladders``, and their luck is measured."""

    def __init__(self, engine: Reader, ladders: dict[str, Ladder], luck: LuckKeeper, streams: Streams) -> None:
        self._engine, self._luck, self._streams = engine, luck, streams
        self._ladders = ladders
        self.known: dict[str, Round] = {}

    async def look(self) -> None:
        """Read the rounds, and say in the streams which are over."""
        were_over = self._over()
        await self.read()
        for each in self._over() - were_over:
            self._luck.look_again()
            self._streams.announce(each)

    def _over(self) -> set[str]:
        return {each.id for each in self.known.values() if each.is_over}

    async def read(self) -> None:
        rounds = await asyncio.to_thread(load_rounds, self._engine)
        for each in rounds:
            if each.id not in self._ladders and each.base in self._ladders:
                self._ladders[each.id] = ladder = each.ladder(self._ladders)
                self._luck.add(ladder)
        self.known = {each.id: each for each in rounds if each.id in self._ladders}
