"""The clock of one player in one match, from which stalls of the server are credited to the player.

A stall is a time in which the event loop does not run. `StallFreeClock` leaves out long stalls for everybody. For
shorter stalls, a player is credited at most `TURN_CREDIT_MS` per turn and `GAME_CREDIT_MS` per game, and nothing while
the player's address is over a limit. Without these bounds a player could buy thinking time by keeping the server busy:
a flood of frames once gave 13 seconds of thought for 0.08 seconds of clock time.

A credit moves the player's clock back by its amount. Only stalls within a turn are credited, because no clock runs
between turns.
"""

from collections.abc import Callable
from typing import Final

from evilpegs_server.play.stall_free_clock import StallFreeClock

TURN_CREDIT_MS: Final = 2_000.0
GAME_CREDIT_MS: Final = 10_000.0


class PlayerClock:
    """The time of a `StallFreeClock` minus the credits of one player, in milliseconds."""

    def __init__(self, clock: StallFreeClock) -> None:
        self._clock = clock
        self._credited = 0.0
        self._turn_credit = self._game_credit = 0.0
        self._seen = 0.0
        self._long_at_turn = 0.0

    def begin_turn(self, *, first: bool) -> None:
        self._turn_credit = 0.0
        if first:
            self._game_credit = 0.0
        self._seen = self._clock.short_stalls_ms
        self._long_at_turn = self._clock.long_stalls_ms

    def credit_stalls(self, is_over_limit: Callable[[], bool]) -> None:
        """Credit the short stalls since the last call in this turn, unless the player's address is over a limit."""
        total = self._clock.short_stalls_ms
        if total == self._seen:
            return  # as nearly always
        new, self._seen = total - self._seen, total
        room = min(TURN_CREDIT_MS - self._turn_credit, GAME_CREDIT_MS - self._game_credit)
        # `new` is negative if a stall was short at the last call and is long now: its credit is taken back, because
        # `StallFreeClock` leaves out long stalls completely
        granted = max(new, -self._turn_credit) if new < 0 else 0.0 if is_over_limit() else min(new, room)
        self._turn_credit += granted
        self._game_credit += granted
        self._credited += granted

    def now(self) -> float:
        return self._clock.now() - self._credited

    def convert(self, moment: float) -> float:
        """Return the time of this clock at ``moment``, a reading of the `StallFreeClock` in this turn."""
        return moment - self._credited

    @property
    def uncharged_ms(self) -> float:
        """The stalls of this turn that the player is not charged: the long ones, and the credited short ones."""
        return self._clock.long_stalls_ms - self._long_at_turn + self._turn_credit
