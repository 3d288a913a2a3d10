"""A rate limit as a token bucket."""


class RateLimit:
    """A limit of ``per_second`` on average and of ``burst`` at once. Times are in milliseconds.

    ``refused`` counts refusals, less one for each request that was allowed since; it is never negative.
    """

    def __init__(self, per_second: float, burst: float, now: float) -> None:
        self._per_ms = per_second / 1000
        self._burst = burst
        self._tokens = burst
        self._filled = now
        self.refused = 0

    def take(self, now: float, price: float = 1) -> int:
        """Take ``price`` tokens and return 0, or return the number of milliseconds to wait for them.

        A price above the burst is lowered to it, because nobody could ever pay more.
        """
        price = min(price, self._burst)
        self._tokens = min(self._burst, self._tokens + max(0.0, now - self._filled) * self._per_ms)
        self._filled = now
        if self._tokens >= price:
            self._tokens -= price
            self.refused = max(0, self.refused - 1)
            return 0
        self.refused += 1
        return max(1, round((price - self._tokens) / self._per_ms))
