"""Errors as answers to the requests of one connection, and the rate limit that ends a flood of refused requests."""

from typing import Final

from evilpegs_protocol.server_messages import ErrorCode
from evilpegs_server.gateway.rate_limit import RateLimit
from evilpegs_server.play.counts import RATE_LIMIT, EndReason, ServerCounts
from evilpegs_server.play.messages import ClientChannel, error_text

# errors of frames that cannot be read as a message; no such frame has taken a token before its error is sent
_UNCOUNTED: Final = frozenset({ErrorCode.BAD_JSON, ErrorCode.BAD_MESSAGE, ErrorCode.UNKNOWN_TYPE, ErrorCode.TOO_BIG})


class TooFastError(Exception):
    """A request beyond the rate limit."""

    def __init__(self, wait_ms: int) -> None:
        super().__init__()
        self.wait_ms = wait_ms


class Refusals:
    """The sender of errors to one connection."""

    def __init__(self, channel: ClientChannel, rate: RateLimit, counts: ServerCounts) -> None:
        self.closing = False
        self._channel = channel
        self._rate = rate
        self._counts = counts

    def take_tokens(self, now: float, price: float = 1) -> None:
        """Take tokens from the rate limit. Raises TooFastError if there are too few."""
        wait_ms = self._rate.take(now, price, refusals=round(price))
        if wait_ms:
            raise TooFastError(wait_ms)

    def send(self, code: ErrorCode, message: str, re: str | None, now: float, wait_ms: int | None = None) -> None:
        """Answer with an error, or with the refusal of the rate limit if an unreadable frame finds no token."""
        if code in _UNCOUNTED and (until_token_ms := self._rate.take(now)):
            self.send_too_fast(until_token_ms, re)
        else:
            self._counts.refusals[code] += 1
            self._channel.send([error_text(code, message, re, retry_after_ms=wait_ms)])

    def send_too_fast(self, wait_ms: int, re: str | None) -> None:
        """Refuse a request because of the rate limit; after too many refusals, close the channel."""
        fatal = self._rate.is_exhausted
        remedy = "send fewer" if fatal else f"wait {wait_ms} ms"
        message = f"more than {self._rate.per_second:.0f} requests per second on average; {remedy} (limit {RATE_LIMIT})"
        text = error_text(ErrorCode.RATE_LIMITED, message, re, fatal=fatal, retry_after_ms=wait_ms)
        self._counts.refusals[ErrorCode.RATE_LIMITED] += 1
        self._channel.send([text])
        if fatal:
            self.closing = True
            self._counts.ended[EndReason.MESSAGES] += 1
            self._channel.close(1008, message)
