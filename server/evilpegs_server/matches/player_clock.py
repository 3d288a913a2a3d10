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

from evilpegs_server.matches.stall_free_clock import StallFreeClock

TURN_CREDIT_MS: Final = 2_000.0
"""The greatest credit for short stalls within one turn, in milliseconds."""
GAME_CREDIT_MS: Final = 10_000.0
"""The greatest credit for short stalls within one game, in milliseconds."""


class PlayerClock:
    """A clock in milliseconds: the time of a `StallFreeClock` minus the credits of one player.

    A credit returns to the player the time of a short stall of the event loop, in which the server could not handle a
    guess. Credits are at most `TURN_CREDIT_MS` per turn and `GAME_CREDIT_MS` per game.
    """

    def __init__(self, clock: StallFreeClock) -> None:
        self._clock = clock
        self._credited = 0.0
        self._turn_credit = self._game_credit = 0.0
        self._seen = 0.0
        self._long_at_turn = 0.0

    def begin_turn(self, *, first: bool) -> None:
        """Begin a turn. Stalls of the event loop before this moment are not credited to the player.

        ``first`` is True for the first turn of a game, with which the credit of the game begins at 0.
        """
        self._turn_credit = 0.0
        if first:
            self._game_credit = 0.0
        self._seen = self._clock.short_stalls_ms
        self._long_at_turn = self._clock.long_stalls_ms

    def credit_stalls(self, is_over_limit: Callable[[], bool]) -> None:
        """Credit to the player the short stalls of the event loop since the last call in this turn.

        Nothing is credited if ``is_over_limit`` returns True: the player's address exceeded a limit in the last few
        seconds. A stall that lasted on after the last call may have been short then and be long now. Its credit is
        taken back, because `StallFreeClock` leaves out long stalls completely.
        """
        total = self._clock.short_stalls_ms
        if total == self._seen:
            return  # as nearly always
        new, self._seen = total - self._seen, total
        room = min(TURN_CREDIT_MS - self._turn_credit, GAME_CREDIT_MS - self._game_credit)
        granted = max(new, -self._turn_credit) if new < 0 else 0.0 if is_over_limit() else min(new, room)
        self._turn_credit += granted
        self._game_credit += granted
        self._credited += granted

    def now(self) -> float:
        """Return the current time of this player in milliseconds."""
        return self._clock.now() - self._credited

    def convert(self, moment: float) -> float:
        """Return the time of this clock at ``moment``, which is a reading of the `StallFreeClock` in this turn.

        Both are in milliseconds.
        """
        return moment - self._credited

    @property
    def uncharged_ms(self) -> float:
        """The milliseconds of this turn for which the player is not charged, because the event loop did not run.

        The number is the sum of the long stalls in this turn, and of the short stalls as far as these were credited.
        """
        return self._clock.long_stalls_ms - self._long_at_turn + self._turn_credit
