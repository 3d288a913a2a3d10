"""A clock that stands still while the event loop does.

When the process is busy or frozen, messages wait unread through no fault of their senders. A tick is due every
`TICK_MS`. A tick that is more than `STALL_MS` late was held up by a stall of the loop, whatever else ran meanwhile,
and all of its lateness is taken out of the time. While a tick is so overdue, the clock stands at the time when the tick
was due.

A reading can therefore be up to `STALL_MS` earlier than one before it, so callers must clamp negative differences to
zero.
"""

from collections.abc import Callable
from typing import Final

TICK_MS: Final = 20.0
STALL_MS: Final = 50.0


class StallFreeClock:
    """Milliseconds without stalls, from a monotonic clock in seconds. Its owner must call `tick` every `TICK_MS`."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._stalled_ms = 0.0
        self._due = monotonic() * 1000 + TICK_MS

    def now(self) -> float:
        """Return the time in milliseconds without any stall, including one that is not over."""
        moment = self._monotonic() * 1000
        return (self._due if moment - self._due > STALL_MS else moment) - self._stalled_ms

    @property
    def stalled_ms(self) -> float:
        """The duration of all stalls so far, in milliseconds."""
        late = self._monotonic() * 1000 - self._due
        return self._stalled_ms + (late if late > STALL_MS else 0.0)

    def tick(self) -> float:
        """Note that the loop is running, and take the lateness of this tick out of the time if it is a stall.

        Return the lateness in milliseconds, which is 0 for a tick that is early.
        """
        self._stalled_ms = self.stalled_ms
        now = self._monotonic() * 1000
        late, self._due = now - self._due, now + TICK_MS
        return max(0.0, late)
