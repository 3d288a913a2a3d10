"""Errors for refused requests that say what to do instead."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evilpegs_clients.errors import ServerRefusedError
from evilpegs_protocol.server_messages import ErrorCode, LadderInfo
from evilpegs_protocol.suggestions import unknown_ladder_text

if TYPE_CHECKING:
    from evilpegs_clients.connection.session import PlayerSession


def unknown_ladder(ladder: str, offered: Iterable[LadderInfo], server: str) -> ServerRefusedError:
    text = unknown_ladder_text(ladder, (info.id for info in offered), f" on {server}")
    return ServerRefusedError(ErrorCode.UNKNOWN_LADDER, f"{text}; see: evilpegs ladders --server {server}")


def explain_play_refusal(error: ServerRefusedError, ladder: str, session: "PlayerSession") -> ServerRefusedError:
    """Return ``error``, the refusal of a new match, with a message that says what to do."""
    welcome, message = session.welcome, error.message
    if error.code is ErrorCode.UNKNOWN_LADDER:
        return unknown_ladder(ladder, welcome.ladders, session.server)
    if error.code is ErrorCode.AUTH_REQUIRED:
        message = f"{message}: --name NAME"
    elif error.code is ErrorCode.TOO_MANY_MATCHES and len(welcome.open) >= welcome.limits.open_matches:
        message = (
            f"{message}; evilpegs play --name {welcome.player} --server {session.server} offers each of them, "
            f"to go on with or to resign"
        )
    return error.with_message(message)
