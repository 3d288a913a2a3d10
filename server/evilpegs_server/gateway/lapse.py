"""The lapse of names under which nobody has ever played: weeks after they were claimed, their tokens are forgotten.

Anybody can claim names while registration is open, and the token of each would stay in memory forever. A lapsed name
stays reserved, because a new owner could pass for the old one; nobody can use it any more.
"""

import asyncio
from typing import Final

from evilpegs_server.gateway.login import SessionServices
from evilpegs_server.storage.archive import lapsed_tokens

LAPSE_SECONDS: Final = 3600.0
_DAY_MS: Final = 86_400_000


def lapse_time(now_ms: int, days: int) -> int:
    """Return the Unix ms before which a name was claimed that has lapsed by ``now_ms``, unless it was played under."""
    return now_ms - days * _DAY_MS


async def lapse_names(services: SessionServices, days: int, seconds: float = LAPSE_SECONDS) -> None:
    """Call `lapse_once` every ``seconds`` until canceled; log errors and go on."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await lapse_once(services, days)
        except Exception as error:  # noqa: BLE001 - the disk may be better an hour later
            services.log.warning("cannot look for lapsed names", error=type(error).__name__)


async def lapse_once(services: SessionServices, days: int) -> None:
    """Forget the tokens of lapsed names, except those of connected players."""
    before = lapse_time(services.wall_ms(), days)
    for token_hash in await asyncio.to_thread(lapsed_tokens, services.engine, before):
        player = services.players.by_hash(token_hash)
        if player is not None and not services.presence.is_connected(player.id):
            services.players.lapse(token_hash)
