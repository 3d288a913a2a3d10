"""`evilpegs partition`: the number of candidates that each feedback would leave, for several guesses side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter
from rich.table import Table

from evilpegs.api.partitions import partition as divide
from evilpegs.errors import CommandError, rules_hint
from evilpegs.options import FILE, After, Json, RulesText, require_after
from evilpegs.output import console, feedback_text, plain_table, pluralize, print_json
from evilpegs.plots import bar_chart, check_plot
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.errors import GameError, quoted
from evilpegs_game.feedback import parse_turns
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

FEEDBACK_WIDTH: Final = 21
MIN_SIZES_WIDTH: Final = 11  # from four pegs on, the heading makes the column wider


def partition(
    *guesses: Annotated[str, Parameter(name="GUESS", help="One or more guesses to look at.")],
    rules: RulesText = "classic",
    after: After = None,
    plot: Annotated[
        Path | None, FILE, Parameter(help="Draw the sizes of the parts as bars into this file, .png or .svg.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show how many codes each feedback to a guess would leave.

    Several guesses are compared side by side. With --after, only the codes that are consistent with those turns are
    counted.
    """
    parsed = Rules.parse(rules)
    turns, following = _turns_and_guesses(require_after(after), is_guess_given=bool(guesses))
    texts = [*guesses, *following]
    if not texts:
        raise CommandError("no guess to look at; write one, as in: evilpegs partition --rules 4x6 1122")
    position = Position(parsed, parse_turns(turns, parsed), LiveSets())
    codes = [_parse_guess(text, parsed) for text in texts]
    if plot is not None:
        _plot(position, codes, plot)
    if as_json:
        print_json(_document(position, codes))
    else:
        _show(position, codes)


def _parse_guess(text: str, rules: Rules) -> Code:
    try:
        return parse_code(text, rules)
    except GameError as error:
        if hint := rules_hint(text):
            raise CommandError(f"not a code: {quoted(text)}{hint}") from error
        raise


def _turns_and_guesses(after: Sequence[str], is_guess_given: bool) -> tuple[list[str], list[str]]:
    # --after takes all texts behind it; guesses may be among them only if none stand before it
    unanswered = [text for text in after if ":" not in text]
    if unanswered and (is_guess_given or ":" not in after[0]):
        raise CommandError(
            f"{quoted(unanswered[0])} after --after has no feedback; write CODE:BLACK,WHITE like 1122:1,0"
        )
    return [text for text in after if ":" in text], unanswered


def _document(position: Position, codes: Sequence[Code]) -> dict[str, Any]:
    return {
        "rules": str(position.rules),
        "after": [turn.to_json() for turn in position.history],
        "candidates": position.count,
        "guesses": [divide(code, position).to_json() for code in codes],
    }


def _show(position: Position, codes: Sequence[Code]) -> None:
    out = console()
    column = max(MIN_SIZES_WIDTH, 3 * position.rules.pegs) + 2
    per_table = max(1, (out.width - FEEDBACK_WIDTH) // column)
    # all at once, because an error is raised before anything is printed
    tables = [_table(position, codes[first : first + per_table]) for first in range(0, len(codes), per_table)]
    out.print(f"{_title(position)}\n")
    for index, table in enumerate(tables):
        if index:
            out.print()
        out.print(table)


def _title(position: Position) -> str:
    played = len(position.history)
    turns = f" after {pluralize(played, 'turn')}" if played else ""
    return f"{position.rules}{turns}: {pluralize(position.count, 'candidate')}"


def _plot(position: Position, codes: Sequence[Code], path: Path) -> None:
    check_plot(path)
    parts = {format_code(code): position.parts(code) for code in codes}
    feedbacks = sorted({feedback for sizes in parts.values() for feedback in sizes})
    bar_chart(
        path,
        title=_title(position),
        labels=[str(feedback) for feedback in feedbacks],
        series={f"guess {name}": [sizes.get(feedback, 0) for feedback in feedbacks] for name, sizes in parts.items()},
        x_label="feedback: black, white",
        y_label="candidates left",
    )


def _table(position: Position, codes: Sequence[Code]) -> Table:
    partitions = [divide(code, position) for code in codes]
    parts = [each.parts for each in partitions]
    table = plain_table()
    table.add_column("feedback", no_wrap=True)
    for code in codes:
        table.add_column(peg_text(format_code(code)), justify="right", no_wrap=True)
    for feedback in sorted({feedback for sizes in parts for feedback in sizes}):
        sizes_of_part = (f"{sizes[feedback]:,}" if feedback in sizes else "" for sizes in parts)
        table.add_row(feedback_text(feedback, position.rules.pegs), *sizes_of_part)
    table.add_row()
    table.add_row("parts", *(str(len(one.parts)) for one in partitions))
    table.add_row("largest", *(f"{one.largest:,}" for one in partitions))
    table.add_row("expected size", *(f"{float(one.expected_size):,.2f}" for one in partitions))
    table.add_row("bits", *(f"{one.bits:.4f}" for one in partitions))
    table.add_row("a candidate", *("yes" if one.is_candidate else "no" for one in partitions))
    return table
