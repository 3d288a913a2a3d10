"""A parser of the lines that a person types to `evilpegs assist`: rows, guesses, changes of a row, and commands."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evilpegs.errors import CommandError
from evilpegs_clients.terminal.screen import parse_words
from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.errors import GameError, MalformedError, quoted
from evilpegs_game.feedback import Feedback, Turn, parse_turn
from evilpegs_game.rules import Rules


class AssistCommand(StrEnum):
    """A command, by the word to type; SHOW is an empty line."""

    SHOW = ""
    ROWS = "rows"
    UNDO = "undo"
    CODES = "codes"
    NEW = "new"
    HELP = "help"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class RowChange:
    """A correction of row ``number``; if ``guess`` is None, the guess of the row stays."""

    number: int
    guess: Code | None
    feedback: Feedback


AssistLine = AssistCommand | Turn | RowChange | Code  # a code alone is a guess whose figures are wanted

COMMANDS: Final = {command.value: command for command in AssistCommand} | {
    "?": AssistCommand.HELP,
    "q": AssistCommand.QUIT,
    "exit": AssistCommand.QUIT,
}
_NUMBERS: Final = re.compile(r"([0-9]{1,2})(?:\s*[,;/]\s*|\s+)([0-9]{1,2})")
_COUNT: Final = re.compile(r"([0-9]{1,2})\s*([a-z]+)[\s,;]*")
_COLOR_WORDS: Final = {
    **dict.fromkeys(("b", "black", "blacks", "bull", "bulls"), "black"),
    **dict.fromkeys(("w", "white", "whites", "cow", "cows"), "white"),
}
_LETTERS: Final = {"a": "black", "b": "white"}  # as in 1A2B
_MARKS: Final = re.compile(r"(b*)(w*)")
_NO_PEGS: Final = ("-", "0", "none")


def example_code(rules: Rules) -> str:
    return format_code([peg // 2 % rules.colors if rules.repeats else peg for peg in range(rules.pegs)])


def help_text(rules: Rules) -> str:
    code = example_code(rules)
    lines = {
        f"{code} 1,0": "a guess and its feedback: black, white; 1b 0w, 1A0B or b will do too",
        code: "what that guess would tell",
        "Enter": "what is left and the best guesses",
        f"change 2 {code} 1,0": "row 2 was that",
        "change 2 1,0": "row 2 had that feedback",
        "undo": "take back the last row",
        "rows": "all rows",
        "codes": "the codes that are left",
        "new": "start another game",
        "quit": "leave (or Ctrl-D)",
    }
    width = max(map(len, lines))
    return "\n".join(f"  {typed:<{width}}  {does}" for typed, does in lines.items())


def parse_line(text: str, rules: Rules) -> AssistLine:
    """Parse a typed line; a GameError or CommandError says in one line what can be typed."""
    word, _, rest = " ".join(text.split()).partition(" ")
    if word == "change":
        return _parse_change(rest, rules)
    if word.lower() == "undo" and rest.isdecimal():
        raise CommandError(f"undo takes no number; to correct row {rest[:4]}: change {rest[:4]} CODE BLACK,WHITE")
    try:
        parsed = parse_words(text, COMMANDS, lambda line: _split(line, rules))
    except GameError:
        if word.lower() == "help" and not _is_code(word, rules):
            return AssistCommand.HELP
        with suppress(GameError):
            lone = parse_feedback(" ".join(text.split()), rules.pegs)
            raise CommandError(f"write the guess before it: {example_code(rules)} {lone}") from None
        raise
    if isinstance(parsed, AssistCommand):
        return parsed
    guess, feedback = parsed
    return Turn(guess, parse_feedback(feedback, rules.pegs)) if feedback else guess


def parse_row(text: str, rules: Rules) -> Turn:
    """Parse a turn of ``--after`` as `parse_turn` does, or as a person types it, such as ``1122:1A1B``."""
    try:
        return parse_turn(text, rules)
    except GameError:
        with suppress(GameError, CommandError):
            if isinstance(row := parse_line(text.replace(":", " ", 1), rules), Turn):
                return row
        raise


def parse_feedback(text: str, pegs: int) -> Feedback:
    """Parse a feedback such as ``1,0``, ``1 0``, ``1b 0w`` or ``bww``; a ``-`` stands for 0,0."""
    feedback = _match_feedback(text.strip().lower())
    if feedback is None:
        raise MalformedError(f"not a feedback: {quoted(text)}; write BLACK,WHITE like 1,2")
    feedback.check(pegs)
    return feedback


def _match_feedback(text: str) -> Feedback | None:
    if text in _NO_PEGS:
        return Feedback(0, 0)
    if match := _NUMBERS.fullmatch(text):
        return Feedback(int(match[1]), int(match[2]))
    if (counted := _COUNT.findall(text)) and not _COUNT.sub("", text):
        return _count(counted)
    if text and (match := _MARKS.fullmatch(text.replace(" ", ""))):
        return Feedback(len(match[1]), len(match[2]))
    return None


def _count(counted: Sequence[tuple[str, str]]) -> Feedback | None:
    names = _LETTERS if any(word == "a" for _, word in counted) else _COLOR_WORDS
    counts = {names.get(word): int(number) for number, word in counted}
    if None in counts or len(counts) < len(counted):
        return None
    return Feedback(counts.get("black", 0), counts.get("white", 0))


def _is_code(word: str, rules: Rules) -> bool:
    try:
        parse_code(word, rules)
    except GameError:
        return False
    return True


def _parse_change(text: str, rules: Rules) -> RowChange:
    number, _, rest = text.partition(" ")
    if not number.isdecimal() or len(number) > 4 or not rest:
        raise CommandError("write the number of the row and what it was: change 2 1122 1,0")
    if (feedback := _match_feedback(rest.lower())) is not None:
        feedback.check(rules.pegs)
        return RowChange(int(number), None, feedback)
    try:
        guess, typed = _split(rest, rules)
    except MalformedError:
        if " " in rest:
            raise
        raise CommandError(f"write change {number} BLACK,WHITE, or change {number} CODE BLACK,WHITE") from None
    if not typed:
        raise CommandError(f"the feedback is missing: change {number} {rest[:40]} BLACK,WHITE")
    return RowChange(int(number), guess, parse_feedback(typed, rules.pegs))


def _split(line: str, rules: Rules) -> tuple[Code, str]:
    # commas between the pegs of a code; two numbers alone are a feedback
    listed = re.match(rf"\w(?:\s*,\s*\w){{{rules.pegs - 1}}}(?=[\s:]{'' if rules.pegs == 2 else '|$'})", line)
    if listed is not None:
        line = re.sub(r"[\s,]", "", listed[0]) + line[listed.end() :]
    words = line.replace(":", " ", 1).split(" ")
    used = 1
    # there may be spaces between the pegs of a code
    while len("".join(words[:used])) < rules.pegs and used < len(words) and len(words[used]) == len(words[0]) == 1:
        used += 1
    return parse_code("".join(words[:used]), rules), " ".join(words[used:])
