"""The game of the day: everyone plays the same game against evil on 4x6, without a server.

The date determines the first guess, and the player begins after evil's reply to it. The guess comes from the SHA-256
of the text ``evilpegs daily 2026-11-22``, read as 16 big-endian numbers of two bytes each. The first number that is not
skipped, modulo 1,296, is the index of the guess in code order. Numbers from 64,800 on are skipped, so that every code
is equally likely: 64,800 is the largest multiple of 1,296 up to 65,536. Numbers of codes of a single color are skipped
too, because a guess of one color reveals little. If all 16 numbers are skipped, those of the SHA-256 of
``evilpegs daily 2026-11-22 2`` follow, and so on.

The page of the server draws the guess in the same way in JavaScript (``web/core/daily.js``); shared test vectors keep
the two alike.
"""

import hashlib
import re
from collections.abc import Iterator
from datetime import date
from itertools import count
from typing import Final

from evilpegs_clients.errors import ClientError
from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.codes import Code, code_at
from evilpegs_game.errors import quoted
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.history import History
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

DAILY_RULES: Final = Rules(4, 6)
DAILY_LIMIT: Final = 10
"""The most guesses of a daily game, including the guess that follows from the date."""
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DRAWN_VALUES: Final = 1 << 16
_MARKS: Final = (("⚫", "⚪", "·"), ("B", "W", "."))
"""The marks of a peg that is black, white or neither: as symbols at index 0 and as letters at index 1."""


class DateError(ClientError):
    """An error raised for a text that is not a date; the message is one line."""


def parse_date(text: str) -> date:
    """Return the date that a text such as ``2026-11-22`` stands for.

    Raises:
        DateError: the text has another form, or its date is not in the calendar.
    """
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    message = f"not a date: {quoted(text)}; write YYYY-MM-DD like 2026-11-22"
    raise DateError(message)


def first_guess(day: date) -> Code:
    """Return the first guess of the game of ``day``, which follows from the date alone."""
    accepted = _DRAWN_VALUES - _DRAWN_VALUES % DAILY_RULES.size
    codes = (code_at(drawn % DAILY_RULES.size, DAILY_RULES) for drawn in _draws(day) if drawn < accepted)
    return next(code for code in codes if len(set(code)) > 1)


def daily_position(day: date) -> Position:
    """Return the position before the player's first guess in the game of ``day``, with one turn already played."""
    return reply_to(Position(DAILY_RULES), first_guess(day))


def reply_to(position: Position, guess: Code) -> Position:
    """Return the position after ``guess`` and evil's reply, the feedback that leaves the most codes possible."""
    return position.after(guess, Evil().reply(position, guess))


def is_solved(history: History) -> bool:
    """Return True if the last guess of ``history``, which must not be empty, solved the game of the day."""
    return history[-1].feedback == all_black(DAILY_RULES.pegs)


def share_text(day: date, history: History, letters: bool = False) -> str:
    """Return the result of a finished game as text that reveals no code.

    The first line has the date and the number of guesses, and each turn adds a line with the marks of its feedback. The
    number of guesses includes the guess that follows from the date. It is X if the game was not solved. With
    ``letters`` the marks are B, W and . instead of symbols.
    """
    score = len(history) if is_solved(history) else "X"
    rows = [_marks(turn.feedback, _MARKS[letters]) for turn in history]
    return "\n".join([f"evilpegs daily {day} {score}/{DAILY_LIMIT}", *rows])


def _draws(day: date) -> Iterator[int]:
    """Yield pseudorandom numbers from 0 to 65,535 without end; the date ``day`` alone determines the numbers."""
    for number in count(1):
        text = f"evilpegs daily {day}" + ("" if number == 1 else f" {number}")
        digest = hashlib.sha256(text.encode()).digest()
        for index in range(0, len(digest), 2):
            yield int.from_bytes(digest[index : index + 2], "big")


def _marks(feedback: Feedback, marks: tuple[str, str, str]) -> str:
    black, white, neither = marks
    return (
        black * feedback.black + white * feedback.white + neither * (DAILY_RULES.pegs - feedback.black - feedback.white)
    )
