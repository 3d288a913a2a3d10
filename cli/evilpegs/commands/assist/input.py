"""What a person types at the board: a row, a guess to weigh, or a word. Forgiving, and never guessing what is meant."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evilpegs.errors import CommandError
from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.errors import GameError, MalformedError
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import Turn
from evilpegs_game.rules import Rules


class AssistCommand(StrEnum):
    """What can be done besides typing rows."""

    SHOW = ""
    ROWS = "rows"
    UNDO = "undo"
    CODES = "codes"
    NEW = "new"
    HELP = "help"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class RowChange:
    """Row ``number`` is to be another; without ``guess`` only its feedback."""

    number: int
    guess: Code | None
    feedback: Feedback


AssistLine = AssistCommand | Turn | RowChange | Code
"""A code alone is a guess to weigh."""

_WORDS: Final = {word.value: word for word in AssistCommand} | {
    "?": AssistCommand.HELP,
    "q": AssistCommand.QUIT,
    "exit": AssistCommand.QUIT,
}
_NUMBERS: Final = re.compile(r"([0-9]{1,2})(?:\s*[,;/]\s*|\s+)([0-9]{1,2})")
_NAMED: Final = re.compile(r"(?:([0-9]{1,2})\s*b(?:lacks?)?)?[\s,;]*(?:([0-9]{1,2})\s*w(?:hites?)?)?")
_MARKS: Final = re.compile(r"(b*)(w*)")
_NOTHING: Final = ("-", "0", "none")


def example(rules: Rules) -> str:
    """A code of the rules, as one may type it."""
    return format_code([peg // 2 % rules.colors if rules.repeats else peg for peg in range(rules.pegs)])


def help_text(rules: Rules) -> str:
    """All that can be typed, with a code of the rules."""
    code = example(rules)
    lines = {
        f"{code} 1,0": "a guess and its feedback: black, white; 1b 0w or b will do too",
        code: "what that guess would tell",
        "Enter": "what is left and the best guesses",
        f"change 2 {code} 1,0": "row 2 was that",
        "change 2 1,0": "row 2 had that feedback",
        "undo": "take back the last row",
        "rows": "all rows",
        "codes": "the codes that are left",
        "new": "begin another game",
        "quit": "leave (or Ctrl-D)",
    }
    width = max(map(len, lines))
    return "\n".join(f"  {typed:<{width}}  {does}" for typed, does in lines.items())


def parse_line(text: str, rules: Rules) -> AssistLine:
    """Read what was typed.

    Raises:
        GameError, CommandError: it is nothing of the above; one line that helps.
    """
    line = " ".join(text.split())
    if line in _WORDS:  # lower case: what could also be a code is one in upper case
        return _WORDS[line]
    word, _, rest = line.partition(" ")
    if word == "change":
        return _change(rest, rules)
    try:
        guess, given = _split(line, rules)
    except GameError as error:
        if line.lower() in _WORDS:
            return _WORDS[line.lower()]
        message = f"{error}. Type help for what can be typed."
        raise CommandError(message) from None
    return Turn(guess, parse_feedback(given, rules.pegs)) if given else guess


def parse_feedback(text: str, pegs: int) -> Feedback:
    """Read ``1,0``, ``1 0``, ``1b 0w``, ``1 black``, ``bww`` or ``-`` for nothing at all; raises MalformedError."""
    told = _told(text.strip().lower())
    if told is None:
        message = f"not a feedback: {text[:40]!r}; write BLACK,WHITE like 1,2"
        raise MalformedError(message)
    told.check(pegs)
    return told


def _told(text: str) -> Feedback | None:
    if text in _NOTHING:
        return Feedback(0, 0)
    if found := _NUMBERS.fullmatch(text):
        return Feedback(int(found[1]), int(found[2]))
    if (found := _NAMED.fullmatch(text)) and any(found.groups()):
        return Feedback(int(found[1] or 0), int(found[2] or 0))
    if text and (found := _MARKS.fullmatch(text.replace(" ", ""))):
        return Feedback(len(found[1]), len(found[2]))
    return None


def _change(text: str, rules: Rules) -> RowChange:
    number, _, rest = text.partition(" ")
    if not number.isdecimal() or len(number) > 4 or not rest:
        message = "write the number of the row and what it was: change 2 1122 1,0"
        raise CommandError(message)
    if (told := _told(rest.lower())) is not None:
        told.check(rules.pegs)
        return RowChange(int(number), None, told)
    guess, given = _split(rest, rules)
    if not given:
        message = f"the feedback is missing: change {number} {rest[:40]} BLACK,WHITE"
        raise CommandError(message)
    return RowChange(int(number), guess, parse_feedback(given, rules.pegs))


def _split(line: str, rules: Rules) -> tuple[Code, str]:
    """The code at the beginning, which may have spaces between its pegs, and what follows it."""
    words = line.replace(":", " ", 1).split(" ")
    taken = 1
    while len("".join(words[:taken])) < rules.pegs and taken < len(words) and len(words[taken]) == len(words[0]) == 1:
        taken += 1
    return parse_code("".join(words[:taken]), rules), " ".join(words[taken:])
