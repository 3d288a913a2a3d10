"""Conversion between played turns and their form on the command line, CODE:BLACK,WHITE such as 1122:1,0."""

from collections.abc import Iterable

from evilpegs_game.codes import format_code, parse_code
from evilpegs_game.errors import MalformedError, quoted
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import History, Turn
from evilpegs_game.rules import Rules


def parse_turn(text: str, rules: Rules) -> Turn:
    """Return the turn that a text such as ``1122:1,0`` stands for.

    Raises:
        MalformedError, IllegalCodeError: the text is not a turn, or not a turn of these rules.
    """
    code, colon, feedback = text.partition(":")
    if not colon:
        message = f"{quoted(text)} has no feedback; write CODE:BLACK,WHITE like 1122:1,0"
        raise MalformedError(message)
    turn = Turn(parse_code(code, rules), Feedback.parse(feedback))
    turn.feedback.check(rules.pegs)
    return turn


def parse_turns(texts: Iterable[str], rules: Rules) -> History:
    """Return the history that ``texts`` stand for, one turn per text; raise the errors of `parse_turn`."""
    return tuple(parse_turn(text, rules) for text in texts)


def format_turns(history: History) -> list[str]:
    """Return the turns of a history as texts such as ``1122:1,0``, which `parse_turn` reads."""
    return [f"{format_code(guess)}:{feedback}" for guess, feedback in history]
