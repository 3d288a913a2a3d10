"""Turns that were played, as they are typed on the command line: CODE:BLACK,WHITE like 1122:1,0."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from evilpegs.errors import CommandError

if TYPE_CHECKING:
    from evilpegs_game.candidates import History, Turn
    from evilpegs_game.rules import Rules

After = Annotated[
    tuple[str, ...] | None,
    Parameter(
        name="--after",
        consume_multiple=True,
        show_default=False,
        help="Turns played before, each CODE:BLACK,WHITE like 1122:1,0.",
    ),
]


def checked_after(after: tuple[str, ...] | None) -> tuple[str, ...]:
    """What follows --after, if it is there; raises CommandError where nothing does."""
    if after == ():
        message = "--after wants the turns played before, each CODE:BLACK,WHITE like 1122:1,0"
        raise CommandError(message)
    return after or ()


def parse_turn(text: str, rules: "Rules") -> "Turn":
    """Read ``1122:1,0``.

    Raises:
        MalformedError, IllegalCodeError: it is none, or not one of these rules.
    """
    from evilpegs_game.candidates import Turn
    from evilpegs_game.codes import parse_code
    from evilpegs_game.feedback import Feedback

    code, _, given = text.partition(":")
    turn = Turn(parse_code(code, rules), Feedback.parse(given))
    turn.feedback.check(rules.pegs)
    return turn


def parse_turns(texts: Iterable[str], rules: "Rules") -> "History":
    """Read turns in the order they were played; raises what `parse_turn` does."""
    return tuple(parse_turn(text, rules) for text in texts)


def turns_document(history: "History") -> list[dict[str, Any]]:
    """Turns as they stand in a JSON document."""
    from evilpegs_game.codes import format_code

    return [{"code": format_code(guess), "black": black, "white": white} for guess, (black, white) in history]
