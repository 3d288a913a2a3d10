"""A rate limit as a token bucket, and a record of the addresses that exceeded a limit in the last seconds.

Times are milliseconds of the `StallFreeClock`.
"""

from collections.abc import Callable
from typing import Final

READ_PRICE: Final = 10
"""The tokens of a request that reads the storage, and its refusals if it is refused."""
MAX_REFUSALS: Final = 500
"""Refusals, minus the requests allowed since, beyond which a connection is closed."""
OVER_LIMIT_MS: Final = 5_000.0
MAX_ADDRESSES: Final = 10_000


class RecentExcess:
    """The addresses that exceeded a limit in the last `OVER_LIMIT_MS`; beyond `MAX_ADDRESSES`, the newest."""

    def __init__(self) -> None:
        self._noted: dict[str, float] = {}

    def note(self, address: str, now: float) -> None:
        self._noted.pop(address, None)
        self._noted[address] = now
        if len(self._noted) > MAX_ADDRESSES:
            del self._noted[next(iter(self._noted))]

    def is_over_limit(self, address: str, now: float) -> bool:
        noted = self._noted.get(address)
        return noted is not None and now - noted < OVER_LIMIT_MS


class RateLimit:
    """A token bucket; ``refused`` counts refusals, minus one for each request that was allowed since."""

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
        # a suspect gets a tenth of the tokens and refusals, so that a peer gains little by connecting again
        self._tokens = max(1.0, burst / 10) if suspect else burst
        self._filled = now
        self._on_refusal = on_refusal
        self.refused = MAX_REFUSALS - MAX_REFUSALS // 10 if suspect else 0

    @property
    def is_exhausted(self) -> bool:
        return self.refused > MAX_REFUSALS

    def take(self, now: float, price: float = 1, refusals: int = 1) -> int:
        """Take ``price`` tokens and return 0, or take none and return the milliseconds until there are enough."""
        # `now` may be earlier than in the last call, for a message that waited
        self._tokens = min(self._burst, self._tokens + max(0.0, now - self._filled) * self._per_ms)
        self._filled = max(self._filled, now)
        price = min(price, self._burst)  # the bucket never holds more
        if self._tokens >= price:
            self._tokens -= price
            self.refused = max(0, self.refused - 1)
            return 0
        self.refused += refusals
        self._on_refusal(now)
        return max(1, round((price - self._tokens) / self._per_ms))
