"""What the server does when its operator acts on a player or on registration: `evilpegs players`."""

import asyncio
from collections.abc import Callable
from typing import Final

from evilpegs_protocol.server_messages import ErrorCode
from evilpegs_server.gateway.login import SessionServices, ban_text
from evilpegs_server.play.rounds import Rounds
from evilpegs_server.storage.log.acts import Act, load_acts, load_last_act

NEW_TOKEN: Final = "the operator gave this name a new token; log in with it"  # noqa: S105 - no token
End = Callable[[int, str, ErrorCode | None], None]


class OperatorActs:
    """The acts that are stored; ``end`` closes the connections of a player with a reason, after an error."""

    def __init__(self, services: SessionServices, rounds: Rounds, end: End) -> None:
        self._services = services
        self._rounds = rounds
        self._players = services.players
        self._end = end
        self._last = load_last_act(services.engine)
        if self._players.is_open is not None:
            done = "open" if self._players.is_open else "closed"
            services.log.info(f"registration is {done}, by evilpegs players; the setting does not count")

    async def look(self) -> None:
        """Do what the new acts say, and end the matches of banned players and of closed rounds."""
        for act in await asyncio.to_thread(load_acts, self._services.engine, self._last):
            self._last = act.id
            self._apply(act)
        for player in self._players.bans:  # each time, for matches that were read again or taken from another node
            self._services.registry.open.abandon(player)
        await self._rounds.look()

    def _apply(self, act: Act) -> None:
        self._services.log.info("the operator acted", act=act.deed, player=act.player and act.player.name)
        if act.deed in {"open", "close"}:
            self._players.is_open = act.deed == "open"
            return
        player, token_hash = act.player, act.token_hash
        assert player is not None and token_hash is not None  # noqa: S101, PT018 - all other acts are on players
        match act.deed:
            case "add":
                self._players.add(player, token_hash)
            case "token":
                self._players.replace(player, token_hash)
                self._end(player.id, NEW_TOKEN, ErrorCode.AUTH_FAILED)
            case "rename":
                self._players.replace(player, token_hash)
                self._end(player.id, f"the operator gave you the name {player.name}; come back under it", None)
            case "forget":
                self._players.forget(player)
                self._end(player.id, "the operator deleted this player", ErrorCode.AUTH_FAILED)
            case "ban":
                self._players.bans[player.id] = act.reason
                self._end(player.id, ban_text(act.reason), ErrorCode.BANNED)
            case "unban":
                self._players.bans.pop(player.id, None)
            case "kick":
                self._end(player.id, act.reason or "the operator closed this connection", None)
