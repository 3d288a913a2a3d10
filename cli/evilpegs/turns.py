"""Turns in their form on the command line, CODE:BLACK,WHITE such as 1122:1,0."""

from collections.abc import Iterable

from evilpegs_game.codes import format_code, parse_code
from evilpegs_game.errors import MalformedError, quoted
from evilpegs_game.feedback import Feedback, History, Turn
from evilpegs_game.rules import Rules


def parse_turn(text: str, rules: Rules) -> Turn:
    code, colon, feedback = text.partition(":")
    if not colon:
        raise MalformedError(f"{quoted(text)} has no feedback; write CODE:BLACK,WHITE like 1122:1,0")
    turn = Turn(parse_code(code, rules), Feedback.parse(feedback))
    turn.feedback.check(rules.pegs)
    return turn


def parse_turns(texts: Iterable[str], rules: Rules) -> History:
    return tuple(parse_turn(text, rules) for text in texts)


def format_turns(history: History) -> list[str]:
    return [f"{format_code(guess)}:{feedback}" for guess, feedback in history]
