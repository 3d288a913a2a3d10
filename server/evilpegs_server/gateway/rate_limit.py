"""A rate limit as a token bucket, and a record of the addresses that exceeded a limit in the last seconds."""

from collections.abc import Callable
from typing import Final

READ_PRICE: Final = 10
"""The number of tokens that a request takes if it reads the storage; other requests take one token.

If a request of this kind is refused, it also counts as this many refusals.
"""
MAX_REFUSALS: Final = 500
"""The number of refusals, minus the requests allowed since, beyond which a connection is closed."""
OVER_LIMIT_MS: Final = 5_000.0
"""The milliseconds for which an address counts as over a limit after it has exceeded one."""
MAX_ADDRESSES: Final = 10_000
"""The largest number of addresses that are remembered. Beyond it, the oldest are forgotten."""


class RecentExcess:
    """A record of the addresses that exceeded a limit of the server in the last `OVER_LIMIT_MS`.

    Times are those of the `StallFreeClock` in milliseconds. At most `MAX_ADDRESSES` are remembered.
    """

    def __init__(self) -> None:
        self._noted: dict[str, float] = {}

    def note(self, address: str, now: float) -> None:
        """Note that ``address`` exceeded a limit at ``now``, the time of the `StallFreeClock` in milliseconds."""
        self._noted.pop(address, None)
        self._noted[address] = now
        if len(self._noted) > MAX_ADDRESSES:
            del self._noted[next(iter(self._noted))]

    def is_over_limit(self, address: str, now: float) -> bool:
        """Return True if ``address`` was noted less than `OVER_LIMIT_MS` before ``now``.

        ``now`` is the time of the `StallFreeClock` in milliseconds.
        """
        noted = self._noted.get(address)
        return noted is not None and now - noted < OVER_LIMIT_MS


class RateLimit:
    """A token bucket that allows ``per_second`` requests per second on average and ``burst`` at once.

    ``now`` is the present time; all times are those of the `StallFreeClock` in milliseconds. ``refused`` counts
    refusals, minus one for each request that was allowed since; it is never negative. ``on_refusal`` is called with the
    time of each refusal. With ``suspect``, the bucket begins with a tenth of its tokens, and a tenth of the usual
    refusals exhaust it, so that a peer gains little by connecting again after its connection was closed.
    """

    def __init__(
        self,
        per_second: float,
        burst: float,
        now: float,
        on_refusal: Callable[[float], None] = lambda _: None,
        *,
        suspect: bool = False,
    ) -> None:
        self.per_second = per_second
        self._per_ms = per_second / 1000
        self._burst = burst
        self._tokens = max(1.0, burst / 10) if suspect else burst
        self._filled = now
        self._on_refusal = on_refusal
        self.refused = MAX_REFUSALS - MAX_REFUSALS // 10 if suspect else 0

    @property
    def is_exhausted(self) -> bool:
        """True if there were more than `MAX_REFUSALS` refusals, so that the connection must be closed."""
        return self.refused > MAX_REFUSALS

    def take(self, now: float, price: float = 1, refusals: int = 1) -> int:
        """Take ``price`` tokens and return 0; if there are too few, return the milliseconds until there are enough.

        If there are too few tokens, none are taken, and ``refusals`` are added to the count of refusals. ``now`` is the
        time of the `StallFreeClock` in milliseconds. It may be earlier than in the last call, for a message that
        waited; no tokens are added then. A price above the burst takes the whole burst, because the bucket never holds
        more tokens.
        """
        self._tokens = min(self._burst, self._tokens + max(0.0, now - self._filled) * self._per_ms)
        self._filled = max(self._filled, now)
        price = min(price, self._burst)
        if self._tokens >= price:
            self._tokens -= price
            self.refused = max(0, self.refused - 1)
            return 0
        self.refused += refusals
        self._on_refusal(now)
        return max(1, round((price - self._tokens) / self._per_ms))
