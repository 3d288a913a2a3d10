"""Login: the answer to `hello`, which finds the player of a token, registers a name, or creates a guest.

Names under which nobody has ever played lapse weeks after they were claimed: their tokens are forgotten.

`Admission` counts each hello before it is answered, so that a hello beyond a limit leaves no trace.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from structlog.stdlib import BoundLogger

from evilpegs_protocol import constants
from evilpegs_protocol.client_messages import Hello
from evilpegs_protocol.server_messages import ErrorCode, Limits, ServerProgram, Welcome
from evilpegs_server.gateway.admission import Admission, Ticket
from evilpegs_server.match.match import RefusedError
from evilpegs_server.play.eligibility import MAX_OPEN_MATCHES
from evilpegs_server.play.presence import Presence
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.settings import Settings
from evilpegs_server.storage.log import writes
from evilpegs_server.storage.log.archive import lapsed_tokens, load_player
from evilpegs_server.storage.log.interface import Database
from evilpegs_server.storage.log.players import NameRefusedError, Player, Players, hash_token, new_token
from evilpegs_server.storage.log.writer import Writer

_VERSION: Final = version("evilpegs")
_LAPSED: Final = "the name of this token lapsed because it never played a match (limit name_lapse_days); claim another"

# waits for some seconds, or until the connection has ended
Pause = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class SessionServices:
    registry: MatchRegistry
    players: Players
    writer: Writer
    engine: Database
    admission: Admission
    presence: Presence
    settings: Settings
    wall_ms: Callable[[], int]
    log: BoundLogger
    server_key: str | None = None
    """The public half; None if the server does not sign records."""


async def log_in(
    services: SessionServices, ticket: Ticket, pause: Pause, hello: Hello, now: float
) -> tuple[Player, str | None]:
    """Return the player, and their token if it is new. Raises RefusedError."""
    if services.registry.draining:
        raise RefusedError(ErrorCode.DRAINING, "the server is about to stop; come back later")
    if hello.token is not None:
        player = await _find_player(services, ticket, pause, hello.token, now)
    elif hello.name is None:
        player = services.players.new_guest()
    else:
        player = _claim_name(services, hello)
        services.admission.take_new_name(ticket, now)
    has_open_match = bool(services.registry.open.of_player(player.id))
    services.admission.log_in(ticket, now, is_guest=player.is_guest, has_open_match=has_open_match)
    token = hello.token or new_token()
    services.players.add(player, hash_token(token))  # reserves a new name
    if hello.token is not None:
        return player, None
    if not player.is_guest:  # guests are stored with their first match, because many never play
        await _store(services, ticket, player, hash_token(token))
    return player, token


async def welcome_message(
    services: SessionServices, player: Player, token: str | None, re: str | None, site: str | None
) -> Welcome:
    registry = services.registry
    elsewhere = await registry.node.open_matches(player.id)
    return Welcome(
        player=player.name,
        kind=player.kind,
        token=token,
        open=(*registry.open.listed(player.id), *elsewhere),
        ladders=tuple(ladder.info() for ladder in registry.ladders.offered),
        limits=Limits(
            frame_bytes=constants.FRAME_BYTES,
            nesting=constants.NESTING,
            open_matches=MAX_OPEN_MATCHES,
            requests_per_second=services.settings.requests_per_second,
        ),
        server=ServerProgram(name="evilpegs", version=_VERSION, site=site, key=services.server_key),
        re=re,
    )


async def _find_player(services: SessionServices, ticket: Ticket, pause: Pause, token: str, now: float) -> Player:
    player = services.players.by_token(token)
    if player is None:
        # a guest who is not in memory any more is still in the database, as is whom the operator added a moment ago
        stored = await asyncio.to_thread(load_player, services.engine, hash_token(token))
        if stored is None or await asyncio.to_thread(_has_lapsed, services, hash_token(token)):
            delay_ms = services.admission.take_failed_token(ticket, now)
            await pause(delay_ms / 1000)
            message = "no player has this token" if stored is None else _LAPSED
            if delay_ms:
                most = services.settings.failed_tokens_per_minute
                message += f"; answers are delayed after {most} wrong tokens (limit failed_tokens_per_minute)"
            raise RefusedError(ErrorCode.AUTH_FAILED, message)
        player = services.players.by_token(token) or stored
    if player.id in services.players.bans:
        raise RefusedError(ErrorCode.BANNED, ban_text(services.players.bans[player.id]))
    return player


def _has_lapsed(services: SessionServices, token_hash: str) -> bool:
    return is_registration_open(services) and token_hash in lapsed_tokens(services.engine, _lapses_before(services))


def ban_text(reason: str | None) -> str:
    return "the operator banned this player" + ("" if reason is None else f": {reason}")


def _claim_name(services: SessionServices, hello: Hello) -> Player:
    if not is_registration_open(services):
        raise RefusedError(ErrorCode.AUTH_REQUIRED, "this server takes no new names; use the name you registered")
    try:
        return services.players.new_player(hello.name or "", hello.kind or "bot")
    except NameRefusedError as error:
        code = ErrorCode.NAME_TAKEN if error.taken else ErrorCode.BAD_NAME
        raise RefusedError(code, str(error)) from None


def is_registration_open(services: SessionServices) -> bool:
    by_operator = services.players.is_open
    return services.settings.registration == "open" if by_operator is None else by_operator


async def _store(services: SessionServices, ticket: Ticket, player: Player, token_hash: str) -> None:
    stored: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
    write = writes.insert_player(player, token_hash, services.wall_ms())
    services.writer.submit([write], lambda error: None if stored.done() else stored.set_result(error))
    refused = None
    if await stored is not None:
        refused = RefusedError(ErrorCode.STORAGE_UNAVAILABLE, "the server cannot store players now")
    elif await asyncio.to_thread(load_player, services.engine, token_hash) is None:
        refused = RefusedError(ErrorCode.NAME_TAKEN, f"{player.name} was taken at this moment; choose another")
    if refused is not None:
        services.players.remove(player, token_hash)
        services.admission.log_out(ticket)
        raise refused


# Anybody can claim names while registration is open, and the token of each would stay in memory for ever. A lapsed name
# stays reserved, because a new owner could pass for the old one; nobody can use it any more.
LAPSE_SECONDS: Final = 3600.0
_DAY_MS: Final = 86_400_000


async def lapse_names(services: SessionServices) -> None:
    """Forget the tokens of lapsed names, except those of connected players."""
    if not is_registration_open(services):
        return
    for token_hash in await asyncio.to_thread(lapsed_tokens, services.engine, _lapses_before(services)):
        player = services.players.by_hash(token_hash)
        if player is not None and not services.presence.is_connected(player.id):
            services.players.lapse(token_hash)


def _lapses_before(services: SessionServices) -> int:
    return services.wall_ms() - services.settings.name_lapse_days * _DAY_MS
