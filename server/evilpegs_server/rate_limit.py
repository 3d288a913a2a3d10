"""A token bucket: how often something may happen."""


class RateLimit:
    """``per_second`` on average and ``burst`` at once. Time is given in milliseconds."""

    def __init__(self, per_second: float, burst: float, now: float) -> None:
        self._per_ms = per_second / 1000
        self._burst = burst
        self._tokens = burst
        self._filled = now
        self.refused_in_a_row = 0

    def take(self, now: float) -> int:
        """Take a token: 0, or when there is none how many milliseconds to wait for one."""
        self._tokens = min(self._burst, self._tokens + (now - self._filled) * self._per_ms)
        self._filled = now
        if self._tokens >= 1:
            self._tokens -= 1
            self.refused_in_a_row = 0
            return 0
        self.refused_in_a_row += 1
        return max(1, round((1 - self._tokens) / self._per_ms))
