"""The server as a node: what differs if others play on the same database, which is possible on PostgreSQL only."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from evilpegs_protocol.server_messages import OpenMatch
from evilpegs_server.storage.log.archive import load_open_matches
from evilpegs_server.storage.queries import Reader

if TYPE_CHECKING:
    from evilpegs_server.play.registry import MatchRegistry


Look = Callable[[], Awaitable[None]]


class Node(Protocol):
    """One of the servers on a database. `Nodes` implements it beside others, `SoloNode` without any."""

    @property
    def is_alone(self) -> bool: ...

    @property
    def looks(self) -> Sequence[tuple[float, Look]]:
        """What is called again and again for the matches of other nodes, each with the seconds between two calls."""
        ...

    async def begin(self) -> None:
        """Play on the matches that were open at the last stop."""

    async def open_matches(self, player: int) -> list[OpenMatch]:
        """Return the open matches of a player that this node does not play."""

    async def find(self, match: str, player: int) -> None:
        """Take an open match of the player from the node that plays it. Raises RefusedError if that takes too long."""

    async def reclaim(self, match: str, player: int) -> None:
        """Play on a match of this node, of which it is not known what is stored."""

    def forget(self, match: str) -> None:
        """Note that this node does not play the match any more."""


class SoloNode:
    """The only server on its database."""

    is_alone = True
    looks = ()

    def __init__(self, registry: "MatchRegistry", engine: Reader) -> None:
        self._registry, self._engine = registry, engine

    async def begin(self) -> None:
        for stored in load_open_matches(self._engine, self._registry.skip_unreadable):
            self._registry.restore(stored)

    async def open_matches(self, _player: int) -> list[OpenMatch]:
        return []

    async def find(self, match: str, player: int) -> None: ...

    async def reclaim(self, match: str, _player: int) -> None:
        await self._registry.resume(match, None)

    def forget(self, match: str) -> None: ...
