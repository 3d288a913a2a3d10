"""`evilpegs assist`: help for a person who plays against a human codemaker."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from random import Random
from typing import Final, Literal

from rich.console import Console

from evilpegs.api.analysis import advise
from evilpegs.commands.assist.input import (
    COMMANDS,
    AssistCommand,
    AssistLine,
    RowChange,
    example_code,
    help_text,
    parse_line,
    parse_row,
)
from evilpegs.commands.assist.screen import AssistScreen
from evilpegs.errors import CommandError
from evilpegs.options import After, Json, RulesText, require_after
from evilpegs.output import can_redraw, console, pluralize, print_json
from evilpegs.signals import ended_in_order, run_interruptibly
from evilpegs_clients.terminal.screen import Dialog, LeaveError, open_prompt
from evilpegs_game.analysis.advice import Advice, Adviser, AssistHistory
from evilpegs_game.errors import GameError
from evilpegs_game.feedback import Turn
from evilpegs_game.optimal.evil_search import Ties
from evilpegs_game.rules import Rules

CONTRADICTION: Final = 1
QUICK_CODES: Final = 100_000  # up to here, advice is too quick for a status line


def assist(
    *,
    rules: RulesText = "classic",
    after: After = None,
    codemaker: Literal["fixed", "evil"] = "fixed",
    as_json: Json = False,
) -> int:
    """Help a person who plays at a real board: what is left, the best guesses under each criterion, and why.

    You type each guess and the feedback it got. Feedback that contradicts what was typed before is answered with the
    rows that contradict each other, and any row can be changed. With --json there is no dialog: one answer about the
    turns after --after; if they contradict each other, the exit status is 1.

    Args:
        codemaker: A fixed codemaker has a secret. Evil has none and always gives the reply that leaves the most codes:
            guesses are then judged by how many you need at worst, however it breaks ties.
    """
    parsed = Rules.parse(rules)
    history = AssistHistory(parsed, tuple(parse_row(text, parsed) for text in require_after(after)))
    if as_json:
        advice = advise(parsed, history.rows, codemaker)
        print_json(advice.to_json())
        return 0 if isinstance(advice, Advice) else CONTRADICTION
    _talk(history, "worst" if codemaker == "evil" else None, console())
    return 0


def _talk(history: AssistHistory, ties: Ties | None, out: Console) -> None:
    screen = AssistScreen(open_prompt(out, COMMANDS))
    dialog = Dialog(screen)

    def ask(prompt: str) -> str | None:
        try:
            return run_interruptibly(dialog.ask(prompt))
        except LeaveError:
            return None

    def busy() -> AbstractContextManager[object]:
        return out.status("counting") if can_redraw(out) and history.rules.size > QUICK_CODES else nullcontext()

    try:
        with ended_in_order():  # so that every signal leaves the terminal as it was
            AssistDialog(history.rules, screen, ask, busy, ties).run(history)
    finally:
        screen.prompt.end_line()


MAX_CODES: Final = 500  # that are listed on request

Ask = Callable[[str], str | None]  # shows a prompt and returns the typed line; None at the end of the input


class AssistDialog:
    """The dialog with a person; ``busy`` is entered during each computation, for example for a status line."""

    def __init__(
        self,
        rules: Rules,
        screen: AssistScreen,
        ask: Ask,
        busy: Callable[[], AbstractContextManager[object]] = nullcontext,
        ties: Ties | None = None,
    ) -> None:
        self._screen, self._ask, self._busy = screen, ask, busy
        self._adviser = Adviser(rules, Random, ties=ties)
        self._history = AssistHistory(rules)

    def run(self, history: AssistHistory) -> None:
        self._continue_with(history, range(1, len(history.rows) + 1))
        self._screen.say(
            f"Type a guess and what it got, black and white: {example_code(history.rules)} 1,0; or help.", "dim"
        )
        while (typed := self._ask(f"{len(self._history.rows) + 1:>3}>")) is not None:
            try:
                line = parse_line(typed, self._history.rules)
                if line is AssistCommand.QUIT:
                    return
                self._run_line(line)
            except (GameError, CommandError) as error:
                self._screen.say(str(error), "red")

    def _run_line(self, line: AssistLine) -> None:
        history = self._history
        match line:
            case AssistCommand.HELP:
                self._screen.say(help_text(history.rules))
            case AssistCommand.ROWS:
                if not history.rows:
                    self._screen.say("There are no rows yet.")
                self._screen.show_rows(history, range(1, len(history.rows) + 1))
            case AssistCommand.CODES:
                self._show_codes()
            case AssistCommand.UNDO:
                history = history.undo()
                self._continue_with(history, range(1, len(history.rows) + 1))
            case AssistCommand.NEW:
                self._continue_with(AssistHistory(history.rules))
            case AssistCommand():
                self._show_advice()
            case Turn():
                history = history.add(line)
                self._continue_with(history, [len(history.rows)])
            case RowChange(number, guess, feedback):
                row = Turn(guess or history.row(number).guess, feedback)
                self._continue_with(history.change(number, row), [number])
            case _:
                with self._busy():
                    figures = self._adviser.weigh(history, line)
                self._screen.show_figures(figures)

    def _continue_with(self, history: AssistHistory, row_numbers: Iterable[int] = ()) -> None:
        self._history = history
        self._screen.show_rows(history, row_numbers)
        self._show_advice()

    def _show_advice(self) -> None:
        with self._busy():
            advice = self._adviser.advise(self._history)
        if not isinstance(advice, Advice):
            self._screen.show_contradiction(advice)
        elif self._history.is_solved:
            self._screen.say(f"Solved with {pluralize(len(self._history.rows), 'guess', 'guesses')}.", "bold green")
            self._screen.say("Type new for another game, or quit.", "dim")
        else:
            self._screen.show_advice(advice)

    def _show_codes(self) -> None:
        with self._busy():
            codes = self._adviser.codes(self._history, MAX_CODES)
        if codes is None:
            self._screen.say(f"These are too many to list: over {MAX_CODES}.")
        else:
            self._screen.show_codes(codes)
