"""Requests to a match, the channels of their senders, and errors as answers."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from evilpegs_protocol.client_messages import Guess, Hint, Ready, Resign, Resume
from evilpegs_protocol.codec import encode
from evilpegs_protocol.server_messages import Error, ErrorCode, Expected

MatchMessage = Ready | Guess | Hint | Resign | Resume


class ClientChannel(Protocol):
    """The interface through which a match sends messages to the connection of a client.

    The methods neither wait nor raise, even if the connection is gone.
    """

    @property
    def over_limit(self) -> bool:
        """True if the address of the client exceeded a limit in the last few seconds."""
        ...

    def send(self, texts: Sequence[str]) -> None:
        """Send each of ``texts`` as one message to the client, all in one write."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Begin to close the connection with the WebSocket close ``code`` and ``reason``."""
        ...


class RefusedRequestError(Exception):
    """The error of a request that is refused. ``code`` is for programs, and the message is for people."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class Request(NamedTuple):
    """A message to a match, with the channel of its sender.

    ``arrived`` is the time at which the message arrived, in milliseconds of the `StallFreeClock`.
    """

    channel: ClientChannel
    message: MatchMessage
    arrived: float

    def refuse(self, code: ErrorCode, why: str, expected: Expected | None = None) -> None:
        """Send an error as the answer to this request.

        ``why`` is a text for people. ``expected`` is the game and the turn that the match has reached, or None to leave
        them out.
        """
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
    """Return the JSON text of an `error` message with these fields.

    ``message`` is a text for people, and ``re`` the id of the refused request. ``fatal`` is True if the server then
    closes the connection. ``expected`` is the game and the turn that the match has reached. The client may send the
    request again after ``retry_after_ms`` milliseconds. None leaves a field out.
    """
    return encode(
        Error(code=code, message=message, re=re, fatal=fatal, expected=expected, retry_after_ms=retry_after_ms)
    )
