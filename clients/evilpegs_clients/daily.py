"""The game of the day: everyone plays the same game on a date, without a server.

From `WEEKDAYS_BEGIN` on, rules and codemaker follow from the weekday, and the codemaker draws from the seed
``daily-2026-12-08``: evil decides its ties by HMAC-SHA256, and a fixed secret is the code at such a number, both with
the seed as key. Earlier dates keep their game, which is against evil on 4x6 without a seed.

Against evil the date also makes the first guess, because a favorite opening would often meet the same replies. It
comes from the SHA-256 of the text ``evilpegs daily 2026-11-22``, read as 16 big-endian numbers of two bytes each. The
first number that is not skipped, modulo the number of codes, is the index of the guess in code order. Skipped are
numbers from the largest multiple of the number of codes on, so that every code is equally likely, and codes of a single
color, which reveal little. If all 16 numbers are skipped, those of the SHA-256 of ``evilpegs daily 2026-11-22 2``
follow, and so on.

The page does the same in JavaScript (``core/daily.js`` and ``core/seed.js``); shared test vectors keep the two alike.
"""

import hashlib
import hmac
import re
from collections.abc import Iterator
from datetime import date
from functools import partial
from itertools import count
from typing import Final, Literal, NamedTuple

from evilpegs_clients.errors import ClientError
from evilpegs_game.codemakers.codemaker import Codemaker, Evil, Fixed
from evilpegs_game.codes import Code, code_at
from evilpegs_game.errors import quoted
from evilpegs_game.feedback import History, all_black
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_protocol.commitment import seed_tie_index

WEEKDAYS_BEGIN: Final = date(2026, 12, 7)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DRAWN_VALUES: Final = 1 << 16
_MARKS: Final = (("⚫", "⚪", "·"), ("B", "W", "."))


class DailyTerms(NamedTuple):
    rules: Rules
    codemaker: Literal["evil", "fixed"]
    limit: int  # the guess of the date counts
    seed: str | None = None
    secret: Code | None = None  # of a code that somebody chose


_OLD: Final = DailyTerms(Rules(4, 6), "evil", 10)
_BULLS: Final = Rules(4, 10, repeats=False)
# from Monday on
_WEEK: Final = (
    _OLD,
    DailyTerms(_BULLS, "fixed", 12),
    DailyTerms(Rules(5, 8), "evil", 14),
    DailyTerms(Rules(4, 6), "fixed", 10),
    DailyTerms(_BULLS, "evil", 12),
    DailyTerms(Rules(5, 8), "fixed", 14),
    _OLD,
)


class DateError(ClientError):
    """The text is not a date, or the date has no game yet."""


def parse_date(text: str) -> date:
    """Parse a date such as ``2026-11-22``; raises DateError for any other form."""
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise DateError(f"not a date: {quoted(text)}; write YYYY-MM-DD like 2026-11-22")


def daily_terms(day: date) -> DailyTerms:
    return _OLD if day < WEEKDAYS_BEGIN else _WEEK[day.weekday()]._replace(seed=f"daily-{day}")


def daily_codemaker(terms: DailyTerms) -> Fixed | Evil:
    if terms.seed is None:
        return Evil() if terms.secret is None else Fixed(terms.secret)
    return seeded_evil(terms.seed) if terms.codemaker == "evil" else Fixed(seeded_secret(terms.seed, terms.rules))


def seeded_evil(seed: str) -> Evil:
    return Evil(partial(seed_tie_index, seed))  # no closure, which could not be pickled


def seeded_secret(seed: str, rules: Rules) -> Code:
    return code_at(seeded_secret_index(seed, rules.size), rules)


def seeded_secret_index(seed: str, codes: int) -> int:
    # no number is skipped: 2^256 is so large that a million codes are equally likely up to 1e-71
    return _keyed_number(seed, "evilpegs secret") % codes


def first_guess(day: date) -> Code:
    rules = daily_terms(day).rules
    accepted = _DRAWN_VALUES - _DRAWN_VALUES % rules.size
    codes = (code_at(drawn % rules.size, rules) for drawn in _draws(day) if drawn < accepted)
    return next(code for code in codes if len(set(code)) > 1)


def daily_position(day: date) -> Position:
    """Return the position in which the player begins: after the date's guess and evil's reply, if evil plays."""
    terms = daily_terms(day)
    start = Position(terms.rules)
    return after_reply(start, first_guess(day), daily_codemaker(terms)) if terms.codemaker == "evil" else start


def after_reply(position: Position, guess: Code, codemaker: Codemaker) -> Position:
    return position.after(guess, codemaker.reply(position, guess))


def is_solved(history: History) -> bool:
    return bool(history) and history[-1].feedback == all_black(len(history[-1].guess))


def share_text(day: date, history: History, letters: bool = False) -> str:
    """Return the result as text that reveals no code; with ``letters`` the marks are B, W and . instead of symbols."""
    return game_text(daily_terms(day), history, letters, f"daily {day} ")


def game_text(terms: DailyTerms, history: History, letters: bool, which: str = "") -> str:
    score = len(history) if is_solved(history) else "X"
    black, white, neither = _MARKS[letters]
    rows = [
        black * turn.feedback.black + white * turn.feedback.white + neither * (terms.rules.pegs - sum(turn.feedback))
        for turn in history
    ]
    return "\n".join([f"evilpegs {which}{terms.rules} {terms.codemaker} {score}/{terms.limit}", *rows])


def _draws(day: date) -> Iterator[int]:
    for number in count(1):
        text = f"evilpegs daily {day}" + ("" if number == 1 else f" {number}")
        digest = hashlib.sha256(text.encode()).digest()
        for index in range(0, len(digest), 2):
            yield int.from_bytes(digest[index : index + 2], "big")


def _keyed_number(seed: str, message: str) -> int:
    return int.from_bytes(hmac.digest(seed.encode(), message.encode(), "sha256"), "big")
