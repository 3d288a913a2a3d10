"""A timer that wakes a match when its deadline has passed."""

import asyncio
from collections.abc import Callable
from typing import Final

READ_DELAY_MS: Final = 20.0
"""The milliseconds between a deadline and the expiry of its timer.

Guesses that were received before the deadline are read in this time.
"""


class DeadlineTimer:
    """A timer for the current deadline of a match, which calls ``wake`` when it expires.

    Times are in milliseconds of the match's clock. The timer may expire before the deadline, because setting a later
    deadline does not move it; ``wake`` must then set it again.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = 0.0
        self._stopped = False

    def set(self, deadline: float | None, now: float) -> None:
        """Set the timer to expire at the latest `READ_DELAY_MS` after ``deadline``; ``now`` is the current time.

        Both are in milliseconds of the same clock. Nothing changes if ``deadline`` is None, if the timer was stopped,
        or if it already expires earlier.
        """
        if deadline is None or self._stopped or (self._timer is not None and deadline >= self._deadline):
            return
        self._cancel()
        self._deadline = deadline
        self._timer = asyncio.get_running_loop().call_later((deadline - now + READ_DELAY_MS) / 1000, self.expire)

    @property
    def is_set(self) -> bool:
        """True while the timer is running."""
        return self._timer is not None

    def stop(self) -> None:
        """Cancel the timer for good: setting it again has no effect.

        The reference to ``wake`` is dropped, because a cycle of the timer and its match would stay in memory until a
        full garbage collection.
        """
        self._stopped = True
        self._wake = _do_nothing
        self._cancel()

    def expire(self) -> None:
        """Call ``wake``. The event loop calls this method when the time is up."""
        self._timer = None
        self._wake()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _do_nothing() -> None:
    pass
