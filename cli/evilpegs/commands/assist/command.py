"""The command `evilpegs assist`."""

from contextlib import AbstractContextManager, nullcontext
from typing import Final

from rich.console import Console

from evilpegs.commands.assist.advice import Advice, Adviser, AssistHistory
from evilpegs.commands.assist.dialog import AssistDialog
from evilpegs.commands.assist.input import COMMANDS
from evilpegs.commands.assist.screen import AssistScreen
from evilpegs.interruptible import run_interruptibly
from evilpegs.options import After, Json, RulesText, require_after
from evilpegs.output import can_redraw, console, print_json
from evilpegs.termination import ended_in_order
from evilpegs.turns import parse_turns
from evilpegs_clients.terminal.dialog import Dialog, LeaveError
from evilpegs_clients.terminal.screen import open_prompt
from evilpegs_game.rules import Rules

CONTRADICTION: Final = 1
QUICK_CODES: Final = 100_000  # up to here, advice is too quick for a status line


def assist(*, rules: RulesText = "classic", after: After = None, as_json: Json = False) -> int:
    """Help a person who plays at a real board: what is left, the best guesses under each criterion, and why.

    You type each guess and the feedback it got. Feedback that contradicts what was typed before is answered with the
    rows that contradict each other, and any row can be changed. With --json there is no dialog: one answer about the
    turns after --after; if they contradict each other, the exit status is 1.
    """
    parsed = Rules.parse(rules)
    history = AssistHistory(parsed, parse_turns(require_after(after), parsed))
    if as_json:
        advice = Adviser(parsed).advise(history)
        print_json(advice.to_json())
        return 0 if isinstance(advice, Advice) else CONTRADICTION
    _talk(history, console())
    return 0


def _talk(history: AssistHistory, out: Console) -> None:
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
            AssistDialog(history.rules, screen, ask, busy).run(history)
    finally:
        screen.prompt.end_line()
