"""The errors of clients; the message of each says in one line what happened and what to do."""

from enum import StrEnum
from typing import TYPE_CHECKING

from evilpegs_clients.printable import printable
from evilpegs_game.errors import EvilpegsError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evilpegs_protocol.server_messages import Error, ErrorCode, Expected


class ClientError(EvilpegsError):
    """The base class of all client errors; the message is one line for people."""


class UnreachableReason(StrEnum):
    """The reason why no evilpegs server was reached."""

    ADDRESS = "address"
    """The address is malformed."""
    HOST = "host"
    """No host has that name."""
    REFUSED = "refused"
    """Nothing listens at that port."""
    SILENT = "silent"
    """The server does not answer in time."""
    INSECURE = "insecure"
    """No secure connection was made."""
    OTHER_SERVER = "other_server"
    """Something other than an evilpegs server answers."""
    NETWORK = "network"
    """The connection failed for a reason that no other member names."""
    GAVE_UP = "gave_up"
    """The connection was cut, and all attempts to restore it failed."""


class ServerUnreachableError(ClientError):
    """An error raised when no evilpegs server answers at an address, or no longer answers; ``reason`` says why."""

    def __init__(self, message: str, reason: UnreachableReason) -> None:
        super().__init__(message)
        self.reason = reason


class ConnectionLostError(ClientError):
    """An error raised when the connection was cut; the match continues on the server and can be resumed."""


class SeatTakenError(ClientError):
    """An error raised when a newer connection of the same player has taken over the match."""


class BrokenRecordError(ClientError):
    """An error raised when the server contradicts an earlier message about the same match."""


class ServerRefusedError(ClientError):
    """An error raised when the server answers with an `error` message; the attributes are the fields of that message.

    ``message`` is the text of the server, made safe to print. After a ``fatal`` error the server closes the connection.
    ``expected`` is the game and the turn that the match has reached. ``retry_after_ms`` is the time in milliseconds
    after which the request may be accepted. Both are None if the server did not send them.
    """

    def __init__(
        self,
        code: "ErrorCode | str",
        message: str,
        *,
        fatal: bool = False,
        expected: "Expected | None" = None,
        retry_after_ms: int | None = None,
    ) -> None:
        self.code = code
        self.message = printable(message)
        super().__init__(self.message)
        self.fatal = fatal
        self.expected = expected
        self.retry_after_ms = retry_after_ms

    def with_message(self, message: str) -> "ServerRefusedError":
        """Return an error that says ``message`` instead and keeps all other attributes of this one."""
        return ServerRefusedError(
            self.code, message, fatal=self.fatal, expected=self.expected, retry_after_ms=self.retry_after_ms
        )

    @classmethod
    def of(cls, error: "Error") -> "ServerRefusedError":
        """Return the exception for the `error` message ``error``."""
        return cls(
            error.code,
            error.message,
            fatal=error.fatal,
            expected=error.expected,
            retry_after_ms=error.retry_after_ms,
        )


class NameTakenElsewhereError(ServerRefusedError):
    """An error raised when ``name`` is taken at ``server``, but tokens for it are stored for the addresses ``others``.

    The other addresses may belong to the same server. ``path`` is the path of the token file.
    """

    def __init__(self, name: str, server: str, others: "Sequence[str]", path: "Path") -> None:
        from evilpegs_protocol.server_messages import ErrorCode  # noqa: PLC0415 - the protocol is slow to import

        message = (
            f"the name {name} is taken at {server}; tokens belong to an address, and {path} has one for this name at "
            f"{', '.join(others)}. If that was the same server, add --token-from {others[0]}, else choose another name"
        )
        super().__init__(ErrorCode.NAME_TAKEN, message)


class EvaluationError(ClientError):
    """An error raised when an evaluation cannot start or continue.

    The checkpoint file, a worker process, the cluster of machines that plays the games, or the strategy has failed.
    """


class StuckStrategyError(ClientError):
    """An error raised when a strategy repeats itself and will never solve the game; the message names the strategy."""


class TokenFileError(ClientError):
    """An error raised when the token file cannot be read or written."""


class DamagedTokenFileError(TokenFileError):
    """An error raised when the token file is damaged, that is, does not have the expected format."""
