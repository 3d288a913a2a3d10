"""The clock of a game: a base time for the whole game and an increment after each guess.

``now`` is in milliseconds on any clock that only goes forward. The time left is kept in whole milliseconds, so a clock
rebuilt from the record equals the one that was lost. When the time is up, `Match.handle_timeout` ends the game.
"""

from typing import NamedTuple

from evilpegs_protocol.server_messages import ClockInfo


class Times(NamedTuple):
    """The time of a match that is handed over, in ms: of the turn if its clock runs, until a deadline, of stalls."""

    spent_ms: float | None
    wait_ms: float | None
    credit_ms: float


class GameClock:
    """The clock of one game, which runs only between `start` and `stop`; without a ``control``, the game is untimed."""

    def __init__(self, control: ClockInfo | None) -> None:
        self.left_ms = control.base_ms if control else None
        self._increment_ms = control.increment_ms if control else 0
        self.elapsed_ms = 0  # of the answered guesses
        self._started: float | None = None

    @property
    def running(self) -> bool:
        return self._started is not None

    def start(self, now: float) -> None:
        self._started = now

    def credit(self, ms: float) -> None:
        if self._started is not None:
            self._started += ms

    def spent_ms(self, now: float) -> float | None:
        """Return the time of the current turn; None while the clock does not run."""
        return None if self._started is None else max(0.0, now - self._started)

    def took_ms(self, now: float) -> int:
        return 0 if self._started is None else max(0, round(now - self._started))

    def has_flagged(self, now: float) -> bool:
        """Return True if the current turn took more than the time left; no other code decides if the time is up."""
        return self.left_ms is not None and self.took_ms(now) > self.left_ms

    def left_at(self, now: float) -> int | None:
        """Return the time left at ``now``, without the next increment."""
        return None if self.left_ms is None else max(0, self.left_ms - self.took_ms(now))

    def flag_at(self) -> float | None:
        """Return the last time at which a guess is in time; None while no turn is timed."""
        if self._started is None or self.left_ms is None:
            return None
        return self._started + self.left_ms

    def stop(self, now: float) -> int:
        """Stop the clock and return the milliseconds of the turn; the time left changes only with `charge`."""
        took = self.took_ms(now)
        self._started = None
        return took

    def left_after(self, took_ms: int) -> int | None:
        """Return the time left after a turn of ``took_ms``, including the increment; the clock does not change."""
        return None if self.left_ms is None else max(0, self.left_ms - took_ms) + self._increment_ms

    def charge(self, took_ms: int) -> None:
        self.left_ms = self.left_after(took_ms)
        self.elapsed_ms += took_ms
