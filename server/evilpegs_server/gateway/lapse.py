"""Names that nobody plays under: after some weeks their tokens are forgotten, and their names stay reserved.

Anybody can claim names while registration is open, and each would be kept in memory for ever. A name that is given out
again would let its new owner pass for the old one, so a lapsed name is lost for everybody.
"""

import asyncio
from typing import Final

from evilpegs_server.gateway.login import SessionServices
from evilpegs_server.storage.archive import lapsed_tokens

LAPSE_SECONDS: Final = 3600.0
"""The time between two looks for names that have lapsed."""
_DAY_MS: Final = 86_400_000


def lapse_time(now_ms: int, days: int) -> int:
    """Return the Unix time in ms before which a name that was never played under must have been claimed to lapse."""
    return now_ms - days * _DAY_MS


async def lapse_names(services: SessionServices, days: int, seconds: float = LAPSE_SECONDS) -> None:
    """Forget the tokens of lapsed names from time to time, except those of players who are connected."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await lapse_once(services, days)
        except Exception as error:  # noqa: BLE001 - the disk may be better an hour later
            services.log.warning("cannot look for lapsed names", error=type(error).__name__)


async def lapse_once(services: SessionServices, days: int) -> None:
    """Forget the tokens of names that have lapsed by now."""
    before = lapse_time(services.wall_ms(), days)
    for token_hash in await asyncio.to_thread(lapsed_tokens, services.engine, before):
        player = services.players.by_hash(token_hash)
        if player is not None and not services.presence.is_connected(player.id):
            services.players.lapse(token_hash)
