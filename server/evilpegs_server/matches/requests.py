"""Requests to a match: the channel they came by, the message, and how they are refused."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from evilpegs_protocol.client_messages import Guess, Hint, Ready, Resign, Resume
from evilpegs_protocol.codec import encode
from evilpegs_protocol.server_messages import Error, ErrorCode, Expected

MatchMessage = Ready | Guess | Hint | Resign | Resume


class ClientChannel(Protocol):
    """The connection of a client, as a match sees it: it takes texts, and it can be closed.

    Neither method waits or raises, even when the connection is gone.
    """

    @property
    def over_limit(self) -> bool:
        """True if the address of the client exceeded a limit in the last few seconds."""
        ...

    def send(self, texts: Sequence[str]) -> None:
        """Hand these messages to the socket, in one write."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Begin to close the connection."""
        ...


class RefusedRequestError(Exception):
    """A request is refused with this error code; the message is for people."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class Request(NamedTuple):
    """A message to a match, the channel of its sender, and its time of arrival in stall-free milliseconds."""

    channel: ClientChannel
    message: MatchMessage
    arrived: float

    def refuse(self, code: ErrorCode, why: str, expected: Expected | None = None) -> None:
        """Send an error as the direct answer."""
        self.channel.send([error_text(code, why, self.message.id, expected=expected)])


def error_text(
    code: ErrorCode,
    message: str,
    re: str | None,
    *,
    fatal: bool = False,
    expected: Expected | None = None,
    retry_after_ms: int | None = None,
) -> str:
    """Return the text of an `error`."""
    return encode(
        Error(code=code, message=message, re=re, fatal=fatal, expected=expected, retry_after_ms=retry_after_ms)
    )
