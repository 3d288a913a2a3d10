"""The output of `evilpegs assist` for a person."""

from collections.abc import Callable, Iterable, Sequence
from textwrap import fill
from typing import Final

from rich.text import Text

from evilpegs.output import Column, feedback_text, pluralize, print_table, whole_range
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_clients.terminal.screen import Screen
from evilpegs_game.analysis.advice import Advice, AssistHistory, Contradiction, Suggestion
from evilpegs_game.analysis.guesses import CRITERIA, GuessFigures
from evilpegs_game.analysis.par import Par
from evilpegs_game.codes import Code, format_code
from evilpegs_game.feedback import Turn

COMPARED_AMONG: Final = {
    "codes": "",
    "candidates": "compared among the codes that are left; all codes are too many",
    "samples": "compared among samples of the codes that are left; all are too many",
}
GAP: Final = "  "
MAX_FEEDBACKS: Final = 8  # that are listed for a row of a contradiction


class AssistScreen(Screen):
    def show_advice(self, advice: Advice) -> None:
        self.say(_codes_left(advice))
        if len(advice.listed) > 1:
            self.show_codes(advice.listed)
        if advice.codes > 1:
            self.console.print()
            print_table(self.console, advice.suggestions, SUGGESTION_COLUMNS)
            if advice.par is not None:
                self._say_par(advice.par, advice.keeping)
            if advice.more_guesses is not None:
                self.say(f"optimal play needs {float(advice.more_guesses):.3f} more guesses on average", "dim")
            if COMPARED_AMONG[advice.among]:
                self.say(COMPARED_AMONG[advice.among], "dim")

    def _say_par(self, par: Par, keeping: Sequence[Code]) -> None:
        more, counting = f"{whole_range(*par)} more", "counting the next one"
        if par.exact is None:
            self.say(f"against evil, the best play needs {more} guesses, {counting}", "dim")
        else:
            enough = "guess is enough" if par.exact == 1 else f"guesses are enough with the best play, {counting}"
            self.say(f"against evil, {more} {enough}, however it breaks ties", "dim")
        if len(keeping) > 1:
            self.say("good first guesses, for example:", "dim")
            self.show_codes(keeping)

    def show_codes(self, codes: Sequence[Code]) -> None:
        pieces = [peg_text(format_code(code)) for code in codes]
        per_line = max(1, (self.console.width + len(GAP)) // (len(pieces[0]) + len(GAP)))
        for first in range(0, len(pieces), per_line):
            self.say(Text(GAP).join(pieces[first : first + per_line]))

    def show_rows(self, history: AssistHistory, numbers: Iterable[int]) -> None:
        for number in numbers:
            self.say(row_text(number, history.row(number)))

    def show_contradiction(self, contradiction: Contradiction) -> None:
        *others, number = contradiction.rows
        rows = f"rows {', '.join(map(str, others))} and {number} together" if others else f"row {number}"
        self.say(f"No code of {contradiction.history.rules} fits {rows}:", "bold red")
        for clashing, fitting in zip(contradiction.rows, contradiction.fitting, strict=True):
            row = row_text(clashing, contradiction.history.row(clashing))
            if fitting:
                listed = " ".join(map(str, fitting[:MAX_FEEDBACKS])) + (" ..." if len(fitting) > MAX_FEEDBACKS else "")
                row.append(f"{GAP}would fit the other rows with {listed}", "dim")
            self.say(row)
        self.say(
            f"Fix one, as in: change {number} BLACK,WHITE; or undo takes back row {len(contradiction.history.rows)}."
        )

    def show_figures(self, figures: GuessFigures) -> None:
        kind = "it may be the code" if figures.is_candidate else "it cannot be the code"
        text = (
            f"at most {figures.largest_part:,} of {figures.candidate_count:,} left, "
            f"{float(figures.expected_size):,.2f} on average; "
            f"{figures.expected_bits:.2f} bits; {pluralize(figures.part_count, 'part')}; {kind}"
        )
        self.say(Text.assemble(peg_text(format_code(figures.guess)), GAP, text))


def row_text(number: int, row: Turn) -> Text:
    return Text.assemble(
        f"{number:>3}{GAP}", peg_text(format_code(row.guess)), GAP, feedback_text(row.feedback, len(row.guess))
    )


def _figure(text: Callable[[GuessFigures], str]) -> Callable[[Suggestion], str]:
    return lambda suggestion: "" if suggestion.figures is None else text(suggestion.figures)


def _criteria(width: int) -> Callable[[Suggestion], str]:
    def cell(suggestion: Suggestion) -> str:
        names, criteria = suggestion.best_by, {criterion.name for criterion in CRITERIA}
        if criteria <= set(names):
            names = (*(name for name in names if name not in criteria), "every criterion")
        return fill(", ".join(names), width, break_on_hyphens=False)

    return cell


SUGGESTION_COLUMNS: Final[Sequence[Column[Suggestion]]] = (
    Column(
        "guess",
        lambda suggestion: peg_text(format_code(suggestion.guess)),
        narrow={1: lambda suggestion: format_code(suggestion.guess)},
    ),
    Column("most left", _figure(lambda figures: f"{figures.largest_part:,}"), "right"),
    Column("mean left", _figure(lambda figures: f"{float(figures.expected_size):,.2f}"), "right", narrow={2: None}),
    Column("bits", _figure(lambda figures: f"{figures.expected_bits:.2f}"), "right"),
    Column("parts", _figure(lambda figures: str(figures.part_count)), "right"),
    Column("possible", _figure(lambda figures: "yes" if figures.is_candidate else "no")),
    Column("best by", _criteria(37), narrow={3: _criteria(16)}),
)


def _codes_left(advice: Advice) -> Text:
    rules = advice.history.rules
    if advice.codes == 1:
        last = [peg_text(format_code(advice.listed[0]))] if advice.listed else []
        return Text.assemble("one code is left:" if last else "one code is left", GAP, *last)
    if not advice.history.rows:
        return Text(f"{rules}: {advice.codes:,} codes")
    return Text(f"{advice.codes:,} of {rules.size:,} codes left")
