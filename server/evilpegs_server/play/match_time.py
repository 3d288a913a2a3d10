"""The time of one match: now, less the stalls that are credited to its player, and the timer of its deadline."""

import asyncio
from collections.abc import Callable
from typing import Final

from evilpegs_server.match.clock import Times
from evilpegs_server.match.match import Match, State
from evilpegs_server.play.messages import ClientChannel
from evilpegs_server.play.stall_free_clock import StallCredit, StallFreeClock

# after a deadline, the time to read guesses that were received before it
READ_DELAY_MS: Final = 20.0


class MatchTime:
    # It has no reference to the runner, which would be a cycle, and matches are freed without a full collection.
    def __init__(self, match: Match, clock: StallFreeClock) -> None:
        self.credit = StallCredit(clock)
        self.timer: asyncio.TimerHandle | None = None
        self._match, self._clock = match, clock
        self._timer_deadline = 0.0
        self._is_stopped = False

    def credited_now(self, seat: ClientChannel | None) -> float:
        """Return the time, after crediting the stalls until then to the player on ``seat``."""
        if self._match.clock.running:
            self._match.credit(self.credit.take(lambda: seat is not None and seat.is_over_limit()))
        return self._clock.now()

    def start_turn(self, now: float) -> None:
        """Start the clock of the turn that is open, if any, unless it runs already."""
        if self._match.state is State.TURN and not self._match.clock.running:
            self.credit.begin_turn(first=self._match.turn == 1)
            self._match.start_clock(now)

    def times(self) -> Times:
        """Return the times of the match for the node that takes it over."""
        return self._match.times(self._clock.now(), self.credit.game_ms)

    def take_over(self, times: Times) -> None:
        """Let the time run as it did on the node before."""
        self.credit.begin_turn(first=False, game_ms=times.credit_ms)
        self._match.set_times(self._clock.now(), times)

    def set_timer(self, now: float, wake: Callable[[], None]) -> None:
        """Call ``wake`` when the deadline of the match has passed, or earlier."""
        deadline = self._match.deadline()
        if deadline is None or self._is_stopped:
            return
        if self.timer is not None:
            if deadline >= self._timer_deadline:
                return  # the timer expires early and is set again, which is cheaper than to move it at each guess
            self.timer.cancel()
        self._timer_deadline = deadline
        seconds = (deadline - now + READ_DELAY_MS) / 1000
        self.timer = asyncio.get_running_loop().call_later(seconds, wake)

    def stop_timer(self) -> None:
        """Stop the timer for good."""
        self._is_stopped = True
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
