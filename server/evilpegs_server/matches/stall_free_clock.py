"""A clock that stands still while the event loop does.

When the process is busy or frozen, messages wait unread through no fault of their senders. A beat is due every
`BEAT_MS`; one that comes over `STALL_MS` late was held up by a stall of the loop, whatever else ran meanwhile, and all
of its lateness is taken out of the time. While a beat is so overdue, the time stands where the beat should have been.

So a reading can be up to `STALL_MS` earlier than one before it: whoever subtracts two takes less than nothing for
nothing.
"""

from collections.abc import Callable
from typing import Final

BEAT_MS: Final = 20.0
STALL_MS: Final = 50.0


class FairTime:
    """Milliseconds without stalls, from a monotonic clock in seconds. Somebody must call `beat` every `BEAT_MS`."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._stalled_ms = 0.0
        self._due = monotonic() * 1000 + BEAT_MS

    def now(self) -> float:
        """The time in milliseconds, with every stall taken out, also one that is not over."""
        moment = self._monotonic() * 1000
        return (self._due if moment - self._due > STALL_MS else moment) - self._stalled_ms

    @property
    def stalled_ms(self) -> float:
        """All that was taken out so far."""
        late = self._monotonic() * 1000 - self._due
        return self._stalled_ms + (late if late > STALL_MS else 0.0)

    def beat(self) -> None:
        """The loop is running: take out by how much this is too late."""
        self._stalled_ms = self.stalled_ms
        self._due = self._monotonic() * 1000 + BEAT_MS
