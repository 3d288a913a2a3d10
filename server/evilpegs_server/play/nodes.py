"""A node among others: matches that other nodes ask for are handed over, and those of silent nodes are taken.

A player may reach any node. The one that gets a request for a match of another asks its owner, who looks ten times per
second, leaves the time of the match in the database and gives it away. A node that lost the database itself judges
nobody for a lease: all others look silent then.
"""

import asyncio
import signal
import time
from collections import defaultdict
from typing import Final

import orjson
from structlog.stdlib import BoundLogger

from evilpegs_protocol.server_messages import ErrorCode, OpenMatch
from evilpegs_server.match.clock import Times
from evilpegs_server.match.match import RefusedError
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.storage.players import Players
from evilpegs_server.storage.postgres.node import ServerNode, Taken

_POLL_SECONDS: Final = 0.02
# longer than the codemaker thinks, while which nothing is handed over
_GIVE_UP_SECONDS: Final = 10.0


class Nodes:
    def __init__(self, node: ServerNode, registry: MatchRegistry, players: Players, log: BoundLogger) -> None:
        self._node, self._store, self._registry, self._players = node, node.store, registry, players
        self._log = log
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        registry.nodes = self

    def forget(self, match: str) -> None:
        self._store.epochs.pop(match, None)

    async def begin(self) -> None:
        """Play on the matches of earlier runs of this node."""
        for taken in await asyncio.to_thread(self._node.take_own):
            try:
                await self._play_on(taken)
            except Exception as error:  # noqa: BLE001 - one bad record must not stop the server
                self._registry.skip_unreadable(taken.match, error)

    async def open_matches(self, player: int) -> list[OpenMatch]:
        """Return the open matches of a player that this node does not play."""
        found = await asyncio.to_thread(self._node.open_matches, player)
        return [
            OpenMatch(match=match, seq=seq, ladder=ladder, client=orjson.loads(first)["client"])
            for match, ladder, seq, first in found
            if self._registry.get(match) is None
        ]

    async def find(self, match: str, player: int) -> None:
        """Take an open match of the player from the node that plays it. Raises RefusedError if that takes too long."""
        lock = self._locks[match]
        async with lock:
            if self._registry.get(match) is None and await asyncio.to_thread(self._node.ask, match, player):
                await self._wait_for(match, player)
        if not lock.locked():
            self._locks.pop(match, None)

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

    async def reclaim(self, match: str, player: int) -> None:
        """Play on a match of this node whose last statement may be under way, unless another node plays it now."""
        async with self._locks[match]:
            if self._registry.get(match) is None:
                taken = await asyncio.to_thread(self._node.take, match, player)
                if taken is not None:
                    await self._play_on(taken)

    async def look(self) -> None:
        """Hand over what others ask for, unless a request for it is being answered."""
        if self._store.is_replaced:
            self._log.error("another server has begun as this node, which was silent; this one stops")
            signal.raise_signal(signal.SIGTERM)
        for match, to, epoch in await asyncio.to_thread(self._node.wanted):
            runner = self._registry.get(match)
            if runner is not None and (times := runner.hand_over()) is not None:
                await self._give(match, runner.player, to, epoch, times)
        if not self._players.next_ids:
            self._players.next_ids = await asyncio.to_thread(self._node.take_ids)

    async def _give(self, match: str, player: int, to: str, epoch: int, times: Times) -> None:
        try:
            await asyncio.to_thread(self._node.give, match, to, epoch, times)
        except Exception:
            self._registry.reload(match, player)
            raise
        self._log.info("a match moves to another node", match=match, to=to)

    async def adopt(self) -> None:
        """Play on the matches of nodes that are silent; raises what keeps this one from it."""
        if self._store.failure is not None:
            raise self._store.failure.with_traceback(None)
        for taken in await asyncio.to_thread(self._node.take_silent):
            self._log.info("a match of a silent node is played here now", match=taken.match)
            await self._play_on(taken)

    async def _play_on(self, taken: Taken) -> None:
        if (stale := self._registry.get(taken.match)) is not None:
            stale.hand_over()  # others have owned the match since, while its clock ran on here
        self._store.epochs[taken.match] = taken.epoch
        await self._registry.resume(taken.match, taken.times)
