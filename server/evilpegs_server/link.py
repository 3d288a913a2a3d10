"""What a match knows of a connection: it takes texts, and it can be closed."""

from collections.abc import Sequence
from typing import Protocol

from evilpegs_protocol.codec import encode
from evilpegs_protocol.server_messages import Error, ErrorCode, Expected


class Link(Protocol):
    """One connection of a player. Neither method waits or raises, also when the connection is gone."""

    def send(self, texts: Sequence[str]) -> None:
        """Hand these messages to the socket, in one write."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Begin to close the connection."""
        ...


def error_text(
    code: ErrorCode,
    message: str,
    re: str | None,
    *,
    fatal: bool = False,
    expected: Expected | None = None,
    retry_after_ms: int | None = None,
) -> str:
    """An `error` as text."""
    return encode(
        Error(code=code, message=message, re=re, fatal=fatal, expected=expected, retry_after_ms=retry_after_ms)
    )
