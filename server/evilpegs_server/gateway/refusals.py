"""Errors as answers to the requests of one connection, and the rate limit that ends a flood of refused requests."""

from typing import Final

from evilpegs_protocol.server_messages import ErrorCode
from evilpegs_server.gateway.rate_limit import RateLimit
from evilpegs_server.matches.counts import RATE_LIMIT, EndReason, ServerCounts
from evilpegs_server.matches.requests import ClientChannel, error_text

_UNCOUNTED: Final = frozenset({ErrorCode.BAD_JSON, ErrorCode.BAD_MESSAGE, ErrorCode.UNKNOWN_TYPE, ErrorCode.TOO_BIG})
"""The errors of frames that cannot be read as a message; no such frame has taken a token before its error is sent."""


class TooFastError(Exception):
    """The error of a request that exceeds the rate limit and may be repeated after ``wait_ms`` milliseconds."""

    def __init__(self, wait_ms: int) -> None:
        super().__init__()
        self.wait_ms = wait_ms


class Refusals:
    """The sender of errors to the client of one connection, through ``channel``.

    ``rate`` is the rate limit of the connection, and ``counts`` counts the errors. ``closing`` is True once the channel
    was closed because there were too many messages.
    """

    def __init__(self, channel: ClientChannel, rate: RateLimit, counts: ServerCounts) -> None:
        self.closing = False
        self._channel = channel
        self._rate = rate
        self._counts = counts

    def take_tokens(self, now: float, price: float = 1) -> None:
        """Take ``price`` tokens from the token bucket that limits the rate of requests.

        ``now`` is the time of the `StallFreeClock` in milliseconds.

        Raises:
            TooFastError: there are too few tokens in the bucket.
        """
        wait_ms = self._rate.take(now, price, refusals=round(price))
        if wait_ms:
            raise TooFastError(wait_ms)

    def send(self, code: ErrorCode, message: str, re: str | None, now: float, wait_ms: int | None = None) -> None:
        """Send an error with ``code`` and the text ``message`` as the answer to the request with the id ``re``.

        ``re`` is None if the request has no id. The codes in `_UNCOUNTED` are those of frames that could not be read as
        a message; an error with one of these codes first takes a token from the rate limit. If there is no token, the
        client is sent the refusal of the rate limit instead of the error. ``now`` is the time of the `StallFreeClock`
        in milliseconds. ``wait_ms``, unless it is None, says after how many milliseconds the client may repeat the
        request.
        """
        if code in _UNCOUNTED and (until_token_ms := self._rate.take(now)):
            self.send_too_fast(until_token_ms, re)
        else:
            self._counts.refusals[code] += 1
            self._channel.send([error_text(code, message, re, retry_after_ms=wait_ms)])

    def send_too_fast(self, wait_ms: int, re: str | None) -> None:
        """Refuse the request with the id ``re`` because of the rate limit; after too many refusals, close the channel.

        The error says that the client may repeat the request after ``wait_ms`` milliseconds.
        """
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
