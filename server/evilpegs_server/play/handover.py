"""A node among others: matches that other nodes ask for are handed over, and those of silent nodes are taken.

A player may reach any node. The one that gets a request for a match of another asks its owner, who looks ten times per
second, leaves the time of the match in the database and gives it away. A node that lost the database itself judges
nobody for a lease: all others look silent then.
"""

import asyncio
import signal
import time
from contextlib import suppress
from typing import Final
from weakref import WeakValueDictionary

import orjson
from sqlalchemy.exc import SQLAlchemyError
from structlog.stdlib import BoundLogger

from evilpegs_protocol.server_messages import ErrorCode, OpenMatch
from evilpegs_server.match.match import RefusedError
from evilpegs_server.play.node import PlayingNode
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.storage.engines.postgres_node import ServerNode, Taken
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.log.players import Players
from evilpegs_server.storage.queries import Reader
from evilpegs_server.storage.reads import BusyError
from evilpegs_server.timing import Timing

_POLL_SECONDS: Final = 0.02
# longer than the codemaker thinks, while which nothing is handed over
_GIVE_UP_SECONDS: Final = 10.0


class SharingNode(PlayingNode):
    """A node that shares its database with others."""

    is_alone = False

    def __init__(
        self,
        registry: MatchRegistry,
        engine: Reader,
        node: ServerNode,
        players: Players,
        log: BoundLogger,
        timing: Timing,
    ) -> None:
        super().__init__(registry, engine)
        self._node, self._store, self._players = node, node.store, players
        self._log = log
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._left_alone: set[str] = set()  # own matches that cannot be read
        self.looks = (timing.hand_over_seconds, self.look), (timing.look_seconds, self.adopt)

    def forget(self, match: str) -> None:
        self._store.epochs.pop(match, None)

    async def begin(self) -> None:
        with suppress(BusyError):  # a look tries again
            await self._play_own()

    async def open_matches(self, player: int) -> list[OpenMatch]:
        found = await asyncio.to_thread(self._node.open_matches, player)
        return [
            OpenMatch(match=match, seq=seq, ladder=ladder, client=orjson.loads(first)["client"])
            for match, ladder, seq, first in found
            if self._registry.open.get(match) is None
        ]

    async def find(self, match: str, player: int) -> None:
        async with self._lock(match):
            if self._registry.open.get(match) is None and await asyncio.to_thread(self._node.ask, match, player):
                await self._wait_for(match, player)

    async def _wait_for(self, match: str, player: int) -> None:
        give_up = time.monotonic() + _GIVE_UP_SECONDS
        while (taken := await asyncio.to_thread(self._node.take, match, player)) is None:
            if not await asyncio.to_thread(self._node.ask, match, player):
                return  # it has ended
            if time.monotonic() > give_up:
                why = "the node that plays this match does not hand it over; try again"
                raise RefusedError(ErrorCode.STORAGE_UNAVAILABLE, why)
            await asyncio.sleep(_POLL_SECONDS)
        await self._play_on(taken)

    async def reclaim(self, match: str, player: int, epoch: int = 0) -> None:
        """Play on a match of this node, unless it does that since ``epoch``, or another node has it now.

        Its last statement may be under way.
        """
        async with self._lock(match):
            if self._registry.open.get(match) is None or self._epoch(match) < epoch:
                taken = await asyncio.to_thread(self._node.take, match, player)
                if taken is not None:
                    await self._play_on(taken)

    async def look(self) -> None:
        """Hand over what others ask for, unless a request for it is being answered."""
        if self._store.is_replaced:
            self._log.error("another server has begun as this node, which was silent; this one stops")
            signal.raise_signal(signal.SIGTERM)
        for match, to, epoch in await asyncio.to_thread(self._node.wanted):
            lock = self._lock(match)
            if not lock.locked():  # else it is being taken
                async with lock:
                    await self._hand_over(match, to, epoch)
        if not self._players.next_ids:
            self._players.next_ids = await asyncio.to_thread(self._node.take_ids)

    async def _hand_over(self, match: str, to: str, epoch: int) -> None:
        runner = self._registry.open.get(match)
        if runner is None or self._epoch(match) != epoch:
            return  # the clock of a runner that is behind ran on while others played the match
        if (times := runner.hand_over()) is None:
            return
        try:
            await asyncio.to_thread(self._node.give, match, to, epoch, times)
        except Exception:
            self._registry.reload(match, runner.player)
            raise
        self._log.info("a match moves to another node", match=match, to=to)

    async def adopt(self) -> None:
        """Play on the matches of nodes that are silent, and own ones; raises what keeps this one from it."""
        if self._store.failure is not None:
            raise self._store.failure.with_traceback(None)
        for match in await asyncio.to_thread(self._node.take_silent):
            self._log.info("a match of a silent node is played here now", match=match)
        await self._play_own()

    async def _play_own(self) -> None:
        owned = await asyncio.to_thread(self._node.owned)
        self._left_alone.intersection_update(match for match, _, _ in owned)
        for match, player, epoch in owned:
            if match in self._left_alone or self._lock(match).locked():
                continue
            try:
                await self.reclaim(match, player, epoch)
            except (DatabaseUnusableError, SQLAlchemyError, BusyError):
                raise  # the next look tries again
            except Exception as error:  # noqa: BLE001 - one bad record must not keep the others
                self._left_alone.add(match)
                self._registry.skip_unreadable(match, error)

    def _lock(self, match: str) -> asyncio.Lock:
        return self._locks.setdefault(match, asyncio.Lock())

    def _epoch(self, match: str) -> int:
        return self._store.epochs.get(match, 1)

    async def _play_on(self, taken: Taken) -> None:
        stale = self._registry.open.get(taken.match)
        if stale is not None and stale.hand_over() is None:
            return  # what it is about to store is refused; a later look reads it again
        self._store.epochs[taken.match] = taken.epoch
        await self._registry.resume(taken.match, taken.times)
