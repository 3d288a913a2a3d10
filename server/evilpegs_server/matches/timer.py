"""Wakes a match when its deadline has passed."""

import asyncio
from collections.abc import Callable
from typing import Final

GRACE_MS: Final = 20.0
"""How much later than the deadline it rings, so that a guess already received is read first."""


class Alarm:
    """One timer that is set again for every deadline; times are in fair milliseconds.

    Setting it for a later deadline costs nothing: it then rings too early, and whoever is woken sets it again.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = 0.0
        self._off = False

    def set(self, deadline: float | None, now: float) -> None:
        """Ring at ``deadline``, not at all for None."""
        if deadline is None or self._off or (self._timer is not None and deadline >= self._deadline):
            return
        self._cancel()
        self._deadline = deadline
        self._timer = asyncio.get_running_loop().call_later((deadline - now + GRACE_MS) / 1000, self.ring)

    @property
    def is_set(self) -> bool:
        """True while a timer runs that will ring."""
        return self._timer is not None

    def turn_off(self) -> None:
        """Never ring again."""
        self._off = True
        self._cancel()

    def ring(self) -> None:
        """Wake the match. The timer calls this when it expires."""
        self._timer = None
        self._wake()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
