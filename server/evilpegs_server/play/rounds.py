"""The rounds as the server plays them: who may enter, and what their close does to the matches.

The rounds are rows of the database, which `evilpegs round` changes and the server looks at once per second.
"""

import asyncio
from collections.abc import Callable

from structlog.stdlib import BoundLogger

from evilpegs_protocol.server_messages import ErrorCode
from evilpegs_server.match.match import RefusedError, already_entered
from evilpegs_server.play.open_matches import OpenMatches
from evilpegs_server.play.served_ladders import ServedLadders, utc
from evilpegs_server.storage.log.interface import Database
from evilpegs_server.storage.log.rounds import Round, load_entered, load_entrants, load_rounds, publish_round


class Rounds:
    """The rounds that are not over; ``wall_ms`` returns the Unix time."""

    def __init__(
        self,
        open_matches: OpenMatches,
        ladders: ServedLadders,
        engine: Database,
        wall_ms: Callable[[], int],
        log: BoundLogger,
    ) -> None:
        self._open = open_matches
        self._ladders = ladders
        self._engine = engine
        self._wall_ms = wall_ms
        self._log = log
        self._rounds: dict[str, Round] = {}
        self._entrants: set[tuple[str, int]] = set()
        self._entered: set[tuple[str, int]] = set()
        self._just_entered: set[tuple[str, int]] = set()

    async def look(self) -> None:
        """Follow what is stored: know new rounds, end the matches of closed ones, and publish those that are over."""
        self._just_entered = set()
        rounds, self._entrants, entered = await asyncio.to_thread(self._load)
        open_now = {(each.key.ladder.id, each.player) for each in self._open.runners}
        self._entered = entered | open_now | self._just_entered
        for each in rounds:
            if each.id not in self._ladders.known and each.base in self._ladders.known:
                self._ladders.add(each.ladder(self._ladders.known))
                self._log.info("a round was added", round=each.id, opens=utc(each.opens))
        self._rounds = {each.id: each for each in rounds if not each.is_over}
        self._ladders.offer_rounds(self._rounds)
        for each in self._rounds.values():
            if each.is_closed(self._wall_ms()):
                await self._close(each)

    def _load(self) -> tuple[list[Round], set[tuple[str, int]], set[tuple[str, int]]]:
        rounds = load_rounds(self._engine)
        if all(each.is_over for each in rounds):
            return rounds, set(), set()
        return rounds, load_entrants(self._engine), load_entered(self._engine)

    async def _close(self, closed: Round) -> None:
        runners = [each for each in self._open.runners if each.key.ladder.id == closed.id]
        for runner in runners:
            runner.finish()
        if not runners and await asyncio.to_thread(publish_round, self._engine, closed.id, self._wall_ms()):
            self._log.info("a round is over; its results can be read", round=closed.id)

    def enter(self, player: int, ladder: str) -> None:
        """Note that the player enters a round. Raises RefusedError if they may not."""
        entry, playing = (ladder, player), self._rounds.get(ladder)
        now = self._wall_ms()
        if playing is None or playing.is_closed(now):
            raise RefusedError(ErrorCode.ROUND_CLOSED, f"the round {ladder} is closed, and no match of it begins")
        if now < playing.opens:
            why = f"the round {ladder} opens at {utc(playing.opens)}; come back then"
            raise RefusedError(ErrorCode.ROUND_CLOSED, why)
        if entry not in self._entrants:
            why = f"you are not on the list of entrants of {ladder}; ask its operator"
            raise RefusedError(ErrorCode.NOT_AN_ENTRANT, why)
        if entry in self._entered:
            raise already_entered(ladder)
        self._entered.add(entry)
        self._just_entered.add(entry)
