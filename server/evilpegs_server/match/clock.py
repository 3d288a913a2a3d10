"""The clock of a game: a base for the whole game and an increment after each guess.

Times are arguments: ``now`` is in milliseconds on any clock that only goes forward. The time left is kept in whole
milliseconds, so a clock rebuilt from the record equals the one that was lost.
"""

import re
from dataclasses import dataclass
from typing import Self

from evilpegs_game.errors import quoted

_TEXT = re.compile(r"([0-9]{1,5})\+([0-9]{1,4})")


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A time limit: ``base_ms`` per game and ``increment_ms`` more after each guess. Texts are in seconds: ``60+1``."""

    base_ms: int
    increment_ms: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a text such as ``60+1``; raises ValueError."""
        match = _TEXT.fullmatch(text)
        if match is None:
            message = f"not a clock: {quoted(text)}; write BASE+INCREMENT in seconds like 60+1"
            raise ValueError(message)
        return cls(int(match[1]) * 1000, int(match[2]) * 1000)

    def __str__(self) -> str:
        return f"{self.base_ms // 1000}+{self.increment_ms // 1000}"


class GameClock:
    """The time that one game has left and has used. The clock runs only between `start` and `stop`.

    With ``control`` None the game is untimed: `left_ms` is None and the time never runs out.
    """

    def __init__(self, control: TimeControl | None) -> None:
        self._control = control
        self.left_ms = control.base_ms if control else None
        self.elapsed_ms = 0
        self._started: float | None = None

    @property
    def running(self) -> bool:
        """True while a turn is being charged."""
        return self._started is not None

    def start(self, now: float) -> None:
        """Begin to charge a turn, which the player has just been sent."""
        self._started = now

    def took_ms(self, now: float) -> int:
        """Return how many milliseconds this turn has taken; 0 while the clock stands still."""
        return 0 if self._started is None else max(0, round(now - self._started))

    def has_flagged(self, now: float) -> bool:
        """Return True if the time is used up. Nothing else decides this."""
        return self.left_ms is not None and self.took_ms(now) > self.left_ms

    def left_at(self, now: float) -> int | None:
        """Return how many milliseconds are left at this moment; None if untimed."""
        return None if self.left_ms is None else max(0, self.left_ms - self.took_ms(now))

    def flag_at(self) -> float | None:
        """Return the moment up to which a guess is in time; None while the time cannot run out."""
        if self._started is None or self.left_ms is None:
            return None
        return self._started + self.left_ms

    def stop(self, now: float) -> int:
        """Stop the clock and return how many milliseconds the turn took."""
        took = self.took_ms(now)
        self._started = None
        return took

    def left_after(self, took_ms: int) -> int | None:
        """Return the milliseconds left after a turn of ``took_ms``, including the increment; None if untimed."""
        if self._control is None or self.left_ms is None:
            return None
        return max(0, self.left_ms - took_ms) + self._control.increment_ms

    def charge(self, took_ms: int) -> None:
        """Charge an answered turn that took ``took_ms`` milliseconds, and add the increment."""
        self.left_ms = self.left_after(took_ms)
        self.elapsed_ms += took_ms
