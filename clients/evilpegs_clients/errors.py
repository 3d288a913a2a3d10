"""The errors of clients; each message says in one line what happened and what to do."""

from enum import StrEnum
from typing import TYPE_CHECKING

from evilpegs_clients.printable import printable
from evilpegs_game.errors import EvilpegsError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evilpegs_protocol.server_messages import ErrorCode


class ClientError(EvilpegsError):
    """The base class of all client errors."""


class UnreachableReason(StrEnum):
    HOST = "host"  # no host has that name
    REFUSED = "refused"  # nothing listens at that port
    SILENT = "silent"
    INSECURE = "insecure"  # TLS failed
    OTHER_SERVER = "other_server"
    NETWORK = "network"  # any other failure
    GAVE_UP = "gave_up"  # every attempt to reconnect failed


class ServerUnreachableError(ClientError):
    """No evilpegs server answers, or it no longer does."""

    def __init__(self, message: str, reason: UnreachableReason) -> None:
        super().__init__(message)
        self.reason = reason


class ConnectionLostError(ClientError):
    """The connection was cut; the match continues on the server and can be resumed."""


class SeatTakenError(ClientError):
    """A newer connection of the same player has taken over the match."""


class BrokenRecordError(ClientError):
    """The server contradicts an earlier message about the same match."""


class ServerRefusedError(ClientError):
    """An `error` message of the server."""

    def __init__(self, code: "ErrorCode | str", message: str, retry_after_ms: int | None = None) -> None:
        self.code = code
        self.message = printable(message)
        super().__init__(self.message)
        self.retry_after_ms = retry_after_ms

    def with_message(self, message: str) -> "ServerRefusedError":
        return ServerRefusedError(self.code, message, self.retry_after_ms)


class NameTakenElsewhereError(ServerRefusedError):
    """The name is taken, but ``others``, perhaps addresses of the same server, have tokens for it."""

    def __init__(self, name: str, server: str, others: "Sequence[str]", path: "Path") -> None:
        from evilpegs_protocol.server_messages import ErrorCode  # noqa: PLC0415 - the protocol is slow to import

        message = (
            f"the name {name} is taken at {server}; tokens belong to an address, and {path} has one for this name at "
            f"{', '.join(others)}. If that was the same server, add --token-from {others[0]}, else choose another name"
        )
        super().__init__(ErrorCode.NAME_TAKEN, message)


class EvaluationError(ClientError):
    """The journal, a worker process, the cluster or the strategy failed."""


class StuckStrategyError(ClientError):
    """The strategy repeats itself and will never solve the game."""


class GivenTokenError(ClientError):
    """A token that the operator gave is malformed, or proves another name."""


class TokenFileError(ClientError):
    """The token file cannot be read or written."""


class DamagedTokenFileError(TokenFileError):
    """The token file does not have the expected format."""
