"""The server as a node of its database, alone. `handover` has what differs if others play on the same database."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from evilpegs_protocol.server_messages import OpenMatch
from evilpegs_server.storage.log.archive import load_open_matches
from evilpegs_server.storage.queries import Reader

if TYPE_CHECKING:
    from evilpegs_server.play.registry import MatchRegistry


class PlayingNode:
    is_alone = True
    looks: Sequence[tuple[float, Callable[[], Awaitable[None]]]] = ()
    """What is called again and again for the matches of other nodes, each with the seconds between two calls."""

    def __init__(self, registry: "MatchRegistry", engine: Reader) -> None:
        self._registry = registry
        self._engine = engine

    async def begin(self) -> None:
        """Play on the matches that were open at the last stop."""
        for stored in load_open_matches(self._engine, self._registry.skip_unreadable):
            self._registry.restore(stored)

    async def open_matches(self, player: int) -> list[OpenMatch]:  # noqa: ARG002 - there are none
        """Return the open matches of a player that other nodes play."""
        return []

    async def find(self, match: str, player: int) -> None:
        """Take an open match of the player from the node that plays it. Raises RefusedError if that takes too long."""

    async def reclaim(self, match: str, player: int) -> None:  # noqa: ARG002 - nobody else has it
        """Play on a match of this node, of which it is not known what is stored."""
        await self._registry.resume(match, None)

    def forget(self, match: str) -> None:
        """Note that this node does not play the match any more."""
