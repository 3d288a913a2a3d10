"""A clock that stands still while the event loop does.

When the process is busy or frozen, messages wait unread through no fault of their senders. Whoever reads this
clock is told the time without such stalls: a gap over `STALL_MS` between two looks is taken out of the time,
except for the beat that would have passed anyway. A beat looks at the clock regularly, so that a quiet server is not
mistaken for a stalled one.
"""

from collections.abc import Callable
from typing import Final

BEAT_MS: Final = 20.0
STALL_MS: Final = 50.0


class FairTime:
    """Milliseconds without stalls, from a monotonic clock in seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._looked = monotonic() * 1000
        self.stalled_ms = 0.0

    def now(self) -> float:
        """The time in milliseconds, with every stall so far taken out."""
        moment = self._monotonic() * 1000
        gap = moment - self._looked
        if gap > STALL_MS + BEAT_MS:
            self.stalled_ms += gap - BEAT_MS
        self._looked = moment
        return moment - self.stalled_ms
