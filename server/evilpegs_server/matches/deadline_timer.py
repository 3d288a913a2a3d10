"""A timer that wakes a match when its deadline has passed."""

import asyncio
from collections.abc import Callable
from typing import Final

READ_DELAY_MS: Final = 20.0
"""The time between a deadline and the expiry of its timer, in which a guess already received is read."""


class DeadlineTimer:
    """One timer for all deadlines of a match, in turn. Times are in stall-free milliseconds.

    Setting it for a later deadline costs nothing: the timer then expires too early, and ``wake`` must set it again.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = 0.0
        self._stopped = False

    def set(self, deadline: float | None, now: float) -> None:
        """Expire at ``deadline``; with None change nothing."""
        if deadline is None or self._stopped or (self._timer is not None and deadline >= self._deadline):
            return
        self._cancel()
        self._deadline = deadline
        self._timer = asyncio.get_running_loop().call_later((deadline - now + READ_DELAY_MS) / 1000, self.expire)

    @property
    def is_set(self) -> bool:
        """True while the timer is going to expire."""
        return self._timer is not None

    def stop(self) -> None:
        """Cancel the timer for good: setting it again has no effect.

        It lets go of the match that it wakes, which holds this timer: a cycle would keep both in memory until a full
        garbage collection, and these are rare.
        """
        self._stopped = True
        self._wake = _do_nothing
        self._cancel()

    def expire(self) -> None:
        """Wake the match. The event loop calls this when the time is up."""
        self._timer = None
        self._wake()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _do_nothing() -> None:
    pass
