"""Login: look up tokens, claim free names, and name guests."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from structlog.stdlib import BoundLogger

from evilpegs_protocol import limits
from evilpegs_protocol.client_messages import Hello
from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import ErrorCode, Limits, ServerProgram, Welcome
from evilpegs_server.gateway.listings import Listings
from evilpegs_server.matches.registry import MAX_OPEN_MATCHES, MatchRegistry
from evilpegs_server.matches.requests import RefusedRequestError
from evilpegs_server.storage import writes
from evilpegs_server.storage.players import NameRefusedError, Player, Players, hash_token, new_token
from evilpegs_server.storage.writer import Writer


@dataclass(frozen=True, slots=True)
class SessionServices:
    """The services that all sessions of a server share."""

    registry: MatchRegistry
    players: Players
    writer: Writer
    listings: Listings
    registration: Literal["open", "closed"]
    requests_per_second: int
    program: Program
    wall_ms: Callable[[], int]
    log: BoundLogger
    server_key: str | None = None
    """The public key with which the server signs records, None if it signs none."""


async def log_in(services: SessionServices, hello: Hello) -> tuple[Player, str | None]:
    """Return the player who says ``hello``, and a token if one was issued just now. Raises RefusedRequestError."""
    if services.registry.draining:
        raise RefusedRequestError(ErrorCode.DRAINING, "the server is about to stop; come back later")
    if hello.token is None and hello.name is None:
        return _new_guest(services)
    if hello.token is None:
        player = _claim_name(services, hello)
        return player, await _register(services, player)
    known = services.players.by_token(hello.token)
    if known is None:
        raise RefusedRequestError(ErrorCode.AUTH_FAILED, "no player has this token")
    return known, None


def welcome_message(
    services: SessionServices, player: Player, token: str | None, re: str | None, site: str | None
) -> Welcome:
    """Return the answer to `hello`; ``re`` is the id of the request and ``site`` the URL of the site, if any."""
    return Welcome(
        player=player.name,
        kind=player.kind,
        token=token,
        open=tuple(services.registry.open_matches(player)),
        ladders=tuple(ladder.info() for ladder in services.registry.offered_ladders),
        limits=Limits(
            frame_bytes=limits.FRAME_BYTES,
            nesting=limits.NESTING,
            open_matches=MAX_OPEN_MATCHES,
            requests_per_second=services.requests_per_second,
        ),
        server=ServerProgram(
            name=services.program.name, version=services.program.version, site=site, key=services.server_key
        ),
        re=re,
    )


def _new_guest(services: SessionServices) -> tuple[Player, str]:
    """Return a new guest and their token. Guests are stored when they first play, because many never do."""
    guest, token = services.players.new_guest(), new_token()
    services.players.add(guest, hash_token(token))
    return guest, token


def forget_idle_guest(services: SessionServices, guest: Player) -> None:
    """Forget a guest who leaves without ever having begun a match."""
    if not services.registry.has_played(guest):
        services.players.remove(guest, services.players.guest_hash(guest))


def _claim_name(services: SessionServices, hello: Hello) -> Player:
    if services.registration == "closed":
        raise RefusedRequestError(ErrorCode.AUTH_REQUIRED, "no new names are given here; say hello with a token")
    try:
        return services.players.new_player(hello.name or "", hello.kind or "bot")
    except NameRefusedError as error:
        code = ErrorCode.NAME_TAKEN if error.taken else ErrorCode.BAD_NAME
        raise RefusedRequestError(code, str(error)) from None


async def _register(services: SessionServices, player: Player) -> str:
    """Store a new player and return their token. The name is reserved meanwhile."""
    token = new_token()
    token_hash = hash_token(token)
    services.players.add(player, token_hash)
    stored: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
    write = writes.insert_player(player, token_hash, services.wall_ms())
    services.writer.submit([write], partial(_settle, stored))
    if await stored is not None:
        services.players.remove(player, token_hash)
        raise RefusedRequestError(ErrorCode.STORAGE_UNAVAILABLE, "the server cannot store players now")
    return token


def _settle(stored: asyncio.Future[Exception | None], error: Exception | None) -> None:
    if not stored.done():
        stored.set_result(error)
