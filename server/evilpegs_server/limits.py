"""How much each may have: at a time per network, in an hour or a minute per key, and on average per connection.

Times are milliseconds of the `StallFreeClock`.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Final, Generic, TypeVar

from evilpegs_server.addresses import limited_networks

_Key = TypeVar("_Key", bound=Hashable)

READ_PRICE: Final = 10
"""The tokens of a request that reads the storage, and its refusals if it is refused."""
MAX_REFUSALS: Final = 500
"""Refusals, minus the requests allowed since, beyond which a connection is closed."""
# of one kind; they take about 3 MB
MAX_WINDOWS: Final = 10_000


class NetworkCounter:
    """How many of something each address has, of which it may have ``most``; counted by `limited_networks`.

    An address is a `counted_network`; None has no limit.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._counts)

    def most_met(self, address: str | None) -> int:
        """Return the most of a network that has it, or 0 if the address may have one more."""
        mosts = {network: share * self._most for network, share in limited_networks(address).items()}
        return next((most for network, most in mosts.items() if self._counts[network] >= most), 0)

    def add(self, address: str | None) -> None:
        self._counts.update(limited_networks(address).keys())

    def take(self, address: str | None) -> bool:
        """Add one more, or return False if the address has the most."""
        if self.most_met(address):
            return False
        self.add(address)
        return True

    def give_back(self, address: str | None) -> None:
        for network in limited_networks(address):
            self._counts[network] -= 1
            if not self._counts[network]:
                del self._counts[network]


class Windows(Generic[_Key]):
    """Counts by key, which begin again ``length_ms`` after their first; the newest `MAX_WINDOWS` are kept."""

    def __init__(self, length_ms: float, most: int = 1) -> None:
        self._length_ms, self._most = length_ms, most
        # the end and the count, in the order of the begins
        self._windows: OrderedDict[_Key, tuple[float, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._windows)

    def has_begun(self, key: _Key, now: float) -> bool:
        return self._current(key, now)[1] > 0

    def begin(self, key: _Key, now: float) -> None:
        """Count one in a new window, even if the last one is not over."""
        self._windows.pop(key, None)
        self._windows[key] = now + self._length_ms, 1
        while not self.has_begun(first := next(iter(self._windows)), now) or len(self._windows) > MAX_WINDOWS:
            del self._windows[first]

    def take(self, shares: Mapping[_Key, int], now: float) -> tuple[int, float] | None:
        """Count one more for each key, or return the most of a key that has its share, and the milliseconds to wait."""
        windows = {key: self._current(key, now) for key in shares}
        for key, (ends, count) in windows.items():
            if count >= (most := shares[key] * self._most):
                return most, ends - now
        for key, (ends, count) in windows.items():
            if count:
                self._windows[key] = ends, count + 1
            else:
                self.begin(key, now)
        return None

    def _current(self, key: _Key, now: float) -> tuple[float, int]:
        ends, count = self._windows.get(key, (0.0, 0))
        return (ends, count) if now < ends else (now + self._length_ms, 0)


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
