"""`evilpegs partition`: what each feedback to a guess would leave."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from evilpegs.errors import CommandError
from evilpegs.options import Json, RulesText
from evilpegs.output import console, print_json

if TYPE_CHECKING:
    from evilpegs_game.candidates import History, Position
    from evilpegs_game.codes import Code
    from evilpegs_game.rules import Rules


def partition(
    *guesses: Annotated[str, Parameter(name="GUESS", help="One or more guesses to look at.")],
    rules: RulesText = "classic",
    after: Annotated[
        tuple[str, ...] | None,
        Parameter(
            consume_multiple=True,
            show_default=False,
            help="Turns played before, each CODE:BLACK,WHITE like 1122:1,0.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what each feedback to a guess would leave: the sizes of its parts.

    Several guesses are compared side by side. With --after only the candidates count that are consistent with the
    turns given.
    """
    from evilpegs_game.candidates import LiveSets, Position
    from evilpegs_game.codes import parse_code
    from evilpegs_game.rules import Rules

    parsed = Rules.parse(rules)
    turns, following = ([], []) if after is None else _turns_and_guesses(after, is_guess_given=bool(guesses))
    texts = [*guesses, *following]
    if not texts:
        message = "no guess to look at; write one, as in: evilpegs partition --rules 4x6 1122"
        raise CommandError(message)
    position = Position(parsed, _history(turns, parsed), LiveSets())
    codes = [parse_code(text, parsed) for text in texts]
    if as_json:
        print_json(_document(position, codes))
    else:
        _show(position, codes)


def _turns_and_guesses(after: Sequence[str], is_guess_given: bool) -> tuple[list[str], list[str]]:
    """What follows --after: turns, and guesses after them where none stands before; raises CommandError."""
    if not after:
        message = "--after wants the turns played before, each CODE:BLACK,WHITE like 1122:1,0"
        raise CommandError(message)
    unanswered = [text for text in after if ":" not in text]
    if unanswered and (is_guess_given or ":" not in after[0]):
        message = f"{unanswered[0][:40]!r} after --after has no feedback; write CODE:BLACK,WHITE like 1122:1,0"
        raise CommandError(message)
    return [text for text in after if ":" in text], unanswered


def _history(turns: Iterable[str], rules: "Rules") -> "History":
    from evilpegs_game.candidates import Turn
    from evilpegs_game.codes import parse_code
    from evilpegs_game.feedback import Feedback

    history = []
    for text in turns:
        code, _, given = text.partition(":")
        turn = Turn(parse_code(code, rules), Feedback.parse(given))
        turn.feedback.check(rules.pegs)
        history.append(turn)
    return tuple(history)


def _document(position: "Position", codes: Iterable["Code"]) -> dict[str, Any]:
    from evilpegs_game.codes import format_code

    return {
        "rules": str(position.rules),
        "after": [{"code": format_code(guess), "black": b, "white": w} for guess, (b, w) in position.history],
        "candidates": position.count,
        "guesses": [_guess_document(position, code) for code in codes],
    }


def _guess_document(position: "Position", code: "Code") -> dict[str, Any]:
    from evilpegs.part_figures import bits, expected_size
    from evilpegs_game.codes import format_code

    parts = position.parts(code)
    return {
        "code": format_code(code),
        "candidate": position.is_candidate(code),
        "parts": [[black, white, size] for (black, white), size in parts.items()],
        "largest": max(parts.values()),
        "expected_size": expected_size(parts.values()),
        "bits": bits(parts.values()),
    }


def _show(position: "Position", codes: list["Code"]) -> None:
    from evilpegs.part_table import part_tables
    from evilpegs.wording import counted

    played = len(position.history)
    turns = f" after {counted(played, 'turn')}" if played else ""
    out = console()
    out.print(f"{position.rules}{turns}: {counted(position.count, 'candidate')}\n")
    for place, table in enumerate(part_tables(position, codes, out.width)):
        if place:
            out.print()
        out.print(table)
