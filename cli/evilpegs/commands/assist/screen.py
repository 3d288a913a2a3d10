"""What a person sees at the board."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill
from typing import Final, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evilpegs.commands.assist.advice import Advice, AssistHistory, Contradiction, Suggestion
from evilpegs.output import pluralize
from evilpegs.tables import feedback_text, plain_table, print_first_fit
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_game.analysis.figures import CRITERIA, GuessFigures
from evilpegs_game.codes import Code, format_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import Turn

AMONG: Final = {
    "codes": "",
    "candidates": "compared among the codes that are left; all codes are too many",
    "samples": "compared among samples of the codes that are left; all are too many",
}
GAP: Final = "  "
FEEDBACKS_SHOWN: Final = 8


class AssistScreen:
    """Prints to ``out``; what is typed at a prompt that is no terminal is shown too."""

    def __init__(self, out: Console) -> None:
        self._out = out

    def say(self, text: str | Text, style: str = "") -> None:
        """A line of its own."""
        self._out.print(text, style=style)

    def typed(self, line: str) -> None:
        """The line that answered a prompt; a terminal has shown it by itself."""
        if not self._out.is_terminal:
            self._out.print(line)

    def advice(self, advice: Advice) -> None:
        """How many codes are left, and what to guess."""
        self.say(_left(advice))
        if len(advice.listed) > 1:
            self.codes(advice.listed)
        if advice.codes > 1:
            self._out.print()
            print_first_fit(self._out, suggestion_tables(advice.suggestions))
            if advice.more_guesses is not None:
                self.say(f"optimal play needs {float(advice.more_guesses):.3f} more guesses on average", "dim")
            if AMONG[advice.among]:
                self.say(AMONG[advice.among], "dim")

    def codes(self, codes: Sequence[Code]) -> None:
        """Codes side by side."""
        for line in _lines([peg_text(format_code(code)) for code in codes], self._out.width):
            self.say(line)

    def rows(self, board: AssistHistory, numbers: Iterable[int]) -> None:
        """Rows of the board."""
        for number in numbers:
            self.say(row_text(number, board.row(number)))

    def contradiction(self, found: Contradiction) -> None:
        """The rows that clash, and how to mend them."""
        self.say(f"No code of {found.board.rules} fits {_rows(found.rows)}:", "bold red")
        for number, fitting in zip(found.rows, found.fitting, strict=True):
            row = row_text(number, found.board.row(number))
            if fitting:
                row.append(f"{GAP}would fit the other rows with {_listed(fitting)}", "dim")
            self.say(row)
        number = found.rows[-1]
        self.say(f"Mend one, as in: change {number} BLACK,WHITE; or undo takes back row {len(found.board.rows)}.")

    def weighed(self, figures: GuessFigures) -> None:
        """What a guess would tell."""
        self.say(Text.assemble(peg_text(format_code(figures.guess)), GAP, why(figures)))


def why(figures: GuessFigures) -> str:
    """What a guess would tell, in a line."""
    kind = "it may be the code" if figures.is_candidate else "it cannot be the code"
    return (
        f"at most {figures.largest_part:,} of {figures.candidate_count:,} left, "
        f"{float(figures.expected_size):,.2f} on average; "
        f"{figures.expected_bits:.2f} bits; {pluralize(figures.part_count, 'part')}; {kind}"
    )


def row_text(number: int, row: Turn) -> Text:
    """A row of the board."""
    return Text.assemble(
        f"{number:>3}{GAP}", peg_text(format_code(row.guess)), GAP, feedback_text(row.feedback, len(row.guess))
    )


class SuggestionWidth(NamedTuple):
    """How much room a table of guesses takes."""

    pegs: bool = True
    average: bool = True
    names_width: int = 37


SUGGESTION_WIDTHS: Final = (
    SuggestionWidth(),
    SuggestionWidth(pegs=False),
    SuggestionWidth(pegs=False, average=False),
    SuggestionWidth(False, False, 16),
)
"""The widest first."""


def suggestion_tables(suggestions: Sequence[Suggestion]) -> Iterator[Table]:
    """A row a guess, why it is good, and by what; the same table ever narrower."""
    for width in SUGGESTION_WIDTHS:
        table = plain_table()
        table.add_column("guess", no_wrap=True)
        for heading in ("most left", *(("mean left",) if width.average else ()), "bits", "parts"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("may be it", no_wrap=True)
        table.add_column("best by", no_wrap=True)
        for suggestion in suggestions:
            code = format_code(suggestion.guess)
            cells = _cells(suggestion.figures, width.average)
            table.add_row(
                peg_text(code) if width.pegs else code, *cells, _by_whom(suggestion.best_by, width.names_width)
            )
        yield table


def _by_whom(names: Sequence[str], width: int) -> str:
    """The names, on as many lines as they need."""
    criteria = {criterion.name for criterion in CRITERIA}
    if criteria <= set(names):
        names = [*(name for name in names if name not in criteria), "every criterion"]
    return fill(", ".join(names), width, break_on_hyphens=False)


def _cells(figures: GuessFigures | None, average: bool) -> list[str]:
    if figures is None:
        return [""] * (4 + average)
    return [
        f"{figures.largest_part:,}",
        *([f"{float(figures.expected_size):,.2f}"] if average else []),
        f"{figures.expected_bits:.2f}",
        str(figures.part_count),
        "yes" if figures.is_candidate else "no",
    ]


def _left(advice: Advice) -> Text:
    rules = advice.board.rules
    if advice.codes == 1:
        last = [peg_text(format_code(advice.listed[0]))] if advice.listed else []
        return Text.assemble("one code is left:" if last else "one code is left", GAP, *last)
    if not advice.board.rows:
        return Text(f"{rules}: {advice.codes:,} codes")
    return Text(f"{advice.codes:,} of {rules.size:,} codes left")


def _lines(pieces: Sequence[Text], width: int) -> Iterator[Text]:
    """Pieces of one length side by side, as many as fit."""
    room = max(1, (width + len(GAP)) // (len(pieces[0]) + len(GAP)))
    for first in range(0, len(pieces), room):
        yield Text(GAP).join(pieces[first : first + room])


def _rows(numbers: Sequence[int]) -> str:
    """Rows in a sentence: row 2; rows 1 and 4 together."""
    if len(numbers) == 1:
        return f"row {numbers[0]}"
    return f"rows {', '.join(map(str, numbers[:-1]))} and {numbers[-1]} together"


def _listed(fitting: Sequence[Feedback]) -> str:
    shown = [str(given) for given in fitting[:FEEDBACKS_SHOWN]]
    return " ".join(shown) + (" ..." if len(fitting) > len(shown) else "")
