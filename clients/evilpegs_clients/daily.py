"""The game of the day: everyone plays the same game against evil on 4x6, without a server.

The date draws the first guess, and the player starts after evil's reply to it. The guess comes from the SHA-256 of the
text ``evilpegs daily 2026-11-22``, read as 16 big-endian numbers of two bytes each. The first number that is not
skipped, modulo 1,296, is the index of the guess in code order. Skipped are numbers from 64,800 on (the largest multiple
of 1,296 up to 65,536), so that every code is equally likely, and codes of a single color, which reveal little. If all
16 numbers are skipped, those of the SHA-256 of ``evilpegs daily 2026-11-22 2`` follow, and so on.

The page draws the guess in the same way in JavaScript (``web/core/daily.js``); shared test vectors keep the two alike.
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
from evilpegs_game.feedback import History, all_black
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

DAILY_RULES: Final = Rules(4, 6)
DAILY_LIMIT: Final = 10
"""The drawn first guess counts."""
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DRAWN_VALUES: Final = 1 << 16
_MARKS: Final = (("⚫", "⚪", "·"), ("B", "W", "."))


class DateError(ClientError):
    """The text is not a date."""


def parse_date(text: str) -> date:
    """Parse a date such as ``2026-11-22``; raises DateError for any other form."""
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise DateError(f"not a date: {quoted(text)}; write YYYY-MM-DD like 2026-11-22")


def first_guess(day: date) -> Code:
    accepted = _DRAWN_VALUES - _DRAWN_VALUES % DAILY_RULES.size
    codes = (code_at(drawn % DAILY_RULES.size, DAILY_RULES) for drawn in _draws(day) if drawn < accepted)
    return next(code for code in codes if len(set(code)) > 1)


def daily_position(day: date) -> Position:
    """Return the position after the drawn guess and evil's reply."""
    return after_reply(Position(DAILY_RULES), first_guess(day))


def after_reply(position: Position, guess: Code) -> Position:
    """Return the position after ``guess`` and evil's reply."""
    return position.after(guess, Evil().reply(position, guess))


def is_solved(history: History) -> bool:
    """Return True if the last guess solved the game; ``history`` must not be empty."""
    return history[-1].feedback == all_black(DAILY_RULES.pegs)


def share_text(day: date, history: History, letters: bool = False) -> str:
    """Return the result as text that reveals no code; with ``letters`` the marks are B, W and . instead of symbols."""
    score = len(history) if is_solved(history) else "X"
    black, white, neither = _MARKS[letters]
    rows = [
        black * turn.feedback.black + white * turn.feedback.white + neither * (DAILY_RULES.pegs - sum(turn.feedback))
        for turn in history
    ]
    return "\n".join([f"evilpegs daily {day} {score}/{DAILY_LIMIT}", *rows])


def _draws(day: date) -> Iterator[int]:
    for number in count(1):
        text = f"evilpegs daily {day}" + ("" if number == 1 else f" {number}")
        digest = hashlib.sha256(text.encode()).digest()
        for index in range(0, len(digest), 2):
            yield int.from_bytes(digest[index : index + 2], "big")
