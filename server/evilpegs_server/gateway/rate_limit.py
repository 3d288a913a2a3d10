"""A rate limit as a token bucket, and the addresses that exceeded one lately."""

from collections.abc import Callable
from typing import Final

READ_PRICE: Final = 10
"""The tokens that a request takes which reads the storage; others take one. A refusal counts as many refusals."""
MAX_REFUSALS: Final = 500
"""The number of refusals, less tokens taken since, beyond which a connection is closed."""
OVER_LIMIT_MS: Final = 5_000.0
"""The time for which an address counts as over a limit after it exceeded one, in milliseconds."""
MAX_ADDRESSES: Final = 10_000
"""The number of addresses that are remembered; beyond it the oldest are forgotten."""


class RecentExcess:
    """The addresses that exceeded a limit in the last `OVER_LIMIT_MS`. Times are in milliseconds."""

    def __init__(self) -> None:
        self._noted: dict[str, float] = {}

    def note(self, address: str, now: float) -> None:
        """Note that ``address`` exceeds a limit."""
        self._noted.pop(address, None)
        self._noted[address] = now
        if len(self._noted) > MAX_ADDRESSES:
            del self._noted[next(iter(self._noted))]

    def is_over_limit(self, address: str, now: float) -> bool:
        """Return True if ``address`` exceeded a limit lately."""
        noted = self._noted.get(address)
        return noted is not None and now - noted < OVER_LIMIT_MS


class RateLimit:
    """A limit of ``per_second`` on average and of ``burst`` at once. Times are in milliseconds.

    ``refused`` counts refusals, less one for each request that was allowed since; it is never negative. ``on_refusal``
    is called with the time of each refusal. With ``suspect`` True the limit begins with a tenth of the burst and of the
    refusals: without that a peer that was closed would have a whole budget again by connecting again.
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
        self._per_ms = per_second / 1000
        self._burst = burst
        self._tokens = max(1.0, burst / 10) if suspect else burst
        self._filled = now
        self._on_refusal = on_refusal
        self.refused = MAX_REFUSALS - MAX_REFUSALS // 10 if suspect else 0

    @property
    def is_exhausted(self) -> bool:
        """True if so much was refused that the connection must be closed."""
        return self.refused > MAX_REFUSALS

    def take(self, now: float, price: float = 1, refusals: int = 1) -> int:
        """Take ``price`` tokens and return 0, or return the number of milliseconds to wait for them.

        A price above the burst costs the whole burst, because more tokens never gather. If there are too few tokens,
        this counts as that many ``refusals``.
        """
        self._tokens = min(self._burst, self._tokens + max(0.0, now - self._filled) * self._per_ms)
        self._filled = now
        price = min(price, self._burst)
        if self._tokens >= price:
            self._tokens -= price
            self.refused = max(0, self.refused - 1)
            return 0
        self.refused += refusals
        self._on_refusal(now)
        return max(1, round((price - self._tokens) / self._per_ms))
