"""The clock of a game: a base time for the whole game and an increment after each guess.

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
    """A time limit of ``base_ms`` milliseconds per game, to which each guess adds ``increment_ms`` milliseconds.

    Its text form is in seconds: ``60+1`` is a base of 60 seconds and an increment of one second.
    """

    base_ms: int
    increment_ms: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the time control that a text such as ``60+1`` describes.

        Raises:
            ValueError: the text is malformed.
        """
        match = _TEXT.fullmatch(text)
        if match is None:
            message = f"not a clock: {quoted(text)}; write BASE+INCREMENT in seconds like 60+1"
            raise ValueError(message)
        return cls(int(match[1]) * 1000, int(match[2]) * 1000)

    def __str__(self) -> str:
        return f"{self.base_ms // 1000}+{self.increment_ms // 1000}"


class GameClock:
    """The clock of one game, which runs only between `start` and `stop`.

    ``left_ms`` is the time left, and ``elapsed_ms`` the time that the answered guesses have taken. If ``control`` is
    None, the game is untimed: ``left_ms`` is None, and the time never runs out. All times are in milliseconds; ``now``
    may be the time of any clock that only goes forward.
    """

    def __init__(self, control: TimeControl | None) -> None:
        self._control = control
        self.left_ms = control.base_ms if control else None
        self.elapsed_ms = 0
        self._started: float | None = None

    @property
    def running(self) -> bool:
        """True between `start` and `stop`."""
        return self._started is not None

    def start(self, now: float) -> None:
        """Start the clock for a turn that the player has just been sent.

        ``now`` is the time in milliseconds of a clock that only goes forward.
        """
        self._started = now

    def took_ms(self, now: float) -> int:
        """Return the milliseconds from the start of the current turn to ``now``; 0 while the clock does not run.

        ``now`` is the time in milliseconds of a clock that only goes forward.
        """
        return 0 if self._started is None else max(0, round(now - self._started))

    def has_flagged(self, now: float) -> bool:
        """Return True if the current turn has taken more than the time that was left when it began.

        ``now`` is the time in milliseconds of a clock that only goes forward. The result is always False in an untimed
        game. No other code decides if the time is up.
        """
        return self.left_ms is not None and self.took_ms(now) > self.left_ms

    def left_at(self, now: float) -> int | None:
        """Return the milliseconds that are left at ``now``, without the next increment; None if the game is untimed.

        ``now`` is the time in milliseconds of a clock that only goes forward.
        """
        return None if self.left_ms is None else max(0, self.left_ms - self.took_ms(now))

    def flag_at(self) -> float | None:
        """Return the time at which the player's time runs out, up to which a guess is in time.

        The result is in milliseconds of the clock whose time was passed to `start`. It is None while no turn is timed,
        before `start` and after `stop`, and in an untimed game.
        """
        if self._started is None or self.left_ms is None:
            return None
        return self._started + self.left_ms

    def stop(self, now: float) -> int:
        """Stop the clock, and return the milliseconds that the turn took until ``now``.

        ``now`` is the time in milliseconds of a clock that only goes forward. The time left does not change before
        `charge` is called.
        """
        took = self.took_ms(now)
        self._started = None
        return took

    def left_after(self, took_ms: int) -> int | None:
        """Return the milliseconds left after a turn of ``took_ms`` milliseconds, including the increment.

        Return None if the game is untimed. The clock does not change.
        """
        if self._control is None or self.left_ms is None:
            return None
        return max(0, self.left_ms - took_ms) + self._control.increment_ms

    def charge(self, took_ms: int) -> None:
        """Subtract the ``took_ms`` milliseconds of an answered turn from the time left, and add the increment to it.

        The time that the answered guesses have taken grows by ``took_ms``.
        """
        self.left_ms = self.left_after(took_ms)
        self.elapsed_ms += took_ms
