"""A clock that leaves out long stalls of the event loop and counts the shorter ones.

While the process is busy or frozen, messages wait unread through no fault of their senders. The clock therefore expects
a tick every `TICK_MS`. A tick that is more than `STALL_MS` late was delayed by a stall, a time in which the event loop
did not run.

* A stall of more than `LONG_STALL_MS` is left out of the time. Its cause is that the process or the machine was
  stopped. No peer can cause a long stall, because every read from a socket is handled in small pieces.
* A shorter stall stays in the time and is added to `short_stalls_ms`. A crowd of peers may be its cause, so
  `StallCredit` decides how much of it is credited to a player. Without its bounds a player could buy thinking time by
  keeping the server busy: a flood of frames once gave 13 seconds of thought for 0.08 seconds of clock time.

While a tick is overdue, the stall counts with the length that it would have if the tick came now. When the stall
becomes a long one, the clock jumps back to the moment when the tick was due. A reading can therefore be up to
`LONG_STALL_MS` earlier than one before it, so callers must clamp negative differences to zero.
"""

from collections.abc import Callable
from typing import Final

TICK_MS: Final = 20.0
STALL_MS: Final = 50.0
LONG_STALL_MS: Final = 1_000.0
TURN_CREDIT_MS: Final = 2_000.0
GAME_CREDIT_MS: Final = 10_000.0


class StallFreeClock:
    """A clock in milliseconds without long stalls; ``monotonic`` is in seconds. Call `tick` every `TICK_MS`."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._long_ms = self._short_ms = 0.0
        self._due = monotonic() * 1000 + TICK_MS

    def now(self) -> float:
        """Return the time since an arbitrary moment without all long stalls, even one that still lasts."""
        moment = self._monotonic() * 1000
        return (self._due if moment - self._due > LONG_STALL_MS else moment) - self._long_ms

    @property
    def long_stalls_ms(self) -> float:
        late = self._lateness()
        return self._long_ms + (late if late > LONG_STALL_MS else 0.0)

    @property
    def short_stalls_ms(self) -> float:
        late = self._lateness()
        return self._short_ms + (late if STALL_MS < late <= LONG_STALL_MS else 0.0)

    def tick(self) -> float:
        """Note that the event loop is running, and return the lateness of this call in milliseconds."""
        late = self._lateness()
        if late > LONG_STALL_MS:
            self._long_ms += late
        elif late > STALL_MS:
            self._short_ms += late
        self._due = self._monotonic() * 1000 + TICK_MS
        return max(0.0, late)

    def _lateness(self) -> float:
        return self._monotonic() * 1000 - self._due


class StallCredit:
    """The short stalls credited to one player: at most `TURN_CREDIT_MS` per turn and `GAME_CREDIT_MS` per game."""

    def __init__(self, clock: StallFreeClock) -> None:
        self._clock = clock
        self._turn_ms = self.game_ms = 0.0
        self._seen_ms = 0.0
        self._long_at_turn_ms = 0.0

    def begin_turn(self, *, first: bool, game_ms: float | None = None) -> None:
        """Begin a turn, in a game that was credited ``game_ms`` elsewhere if that is given."""
        self._turn_ms = 0.0
        self.game_ms = 0.0 if first else self.game_ms if game_ms is None else game_ms
        # those before are not credited, because no clock runs between turns
        self._seen_ms = self._clock.short_stalls_ms
        self._long_at_turn_ms = self._clock.long_stalls_ms

    def take(self, is_over_limit: Callable[[], bool]) -> float:
        """Return the credit in ms for the stalls since the last call; 0 while the player's address is over a limit."""
        total = self._clock.short_stalls_ms
        if total == self._seen_ms:
            return 0.0  # as nearly always
        new, self._seen_ms = total - self._seen_ms, total
        left = min(TURN_CREDIT_MS - self._turn_ms, GAME_CREDIT_MS - self.game_ms)
        # `new` is negative if a stall was short at the last call and is long now: its credit is taken back, because
        # `StallFreeClock` leaves out long stalls completely
        credit = max(new, -self._turn_ms) if new < 0 else 0.0 if is_over_limit() else min(new, left)
        self._turn_ms += credit
        self.game_ms += credit
        return credit

    @property
    def uncharged_ms(self) -> float:
        """The stalls of this turn that the player is not charged: the long ones, and the credited short ones."""
        return self._clock.long_stalls_ms - self._long_at_turn_ms + self._turn_ms
