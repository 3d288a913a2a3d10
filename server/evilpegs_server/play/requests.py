"""Requests to a match, the channels of their senders, and errors as answers."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from evilpegs_protocol.client_messages import Guess, Hint, Ready, Resign, Resume
from evilpegs_protocol.codec import encode
from evilpegs_protocol.server_messages import Error, ErrorCode, Expected

MatchMessage = Ready | Guess | Hint | Resign | Resume


class ClientChannel(Protocol):
    """The connection of a client; the methods neither wait nor raise, even if it is gone."""

    @property
    def over_limit(self) -> bool:
        """True if the client's address exceeded a limit in the last few seconds."""
        ...

    def send(self, texts: Sequence[str]) -> None:
        """Send each of ``texts`` as one message, all in one write."""
        ...

    def close(self, code: int, reason: str) -> None: ...


class RefusedRequestError(Exception):
    """A request that is refused; ``code`` is for programs, and the message is for people."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class Request(NamedTuple):
    """A message to a match; ``arrived`` is in milliseconds of the `StallFreeClock`."""

    channel: ClientChannel
    message: MatchMessage
    arrived: float

    def refuse(self, code: ErrorCode, why: str, expected: Expected | None = None) -> None:
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
    return encode(
        Error(code=code, message=message, re=re, fatal=fatal, expected=expected, retry_after_ms=retry_after_ms)
    )
