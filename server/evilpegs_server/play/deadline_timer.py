"""A timer that wakes a match when its deadline has passed."""

import asyncio
from collections.abc import Callable
from typing import Final

# after a deadline, the time to read guesses that were received before it
READ_DELAY_MS: Final = 20.0


class DeadlineTimer:
    """A timer that may expire early, because a later deadline does not move it; ``wake`` must then set it again."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = 0.0
        self._stopped = False

    def set(self, deadline: float | None, now: float) -> None:
        """Expire at the latest `READ_DELAY_MS` after ``deadline``; both times are milliseconds of the same clock."""
        if deadline is None or self._stopped or (self._timer is not None and deadline >= self._deadline):
            return
        self._cancel()
        self._deadline = deadline
        self._timer = asyncio.get_running_loop().call_later((deadline - now + READ_DELAY_MS) / 1000, self.expire)

    @property
    def is_set(self) -> bool:
        return self._timer is not None

    def stop(self) -> None:
        """Cancel the timer for good: setting it again has no effect."""
        self._stopped = True
        # the cycle of the timer and its match would stay in memory until a full garbage collection
        self._wake = _do_nothing
        self._cancel()

    def expire(self) -> None:
        self._timer = None
        self._wake()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _do_nothing() -> None:
    pass
