"""The command `evilpegs assist`, its JSON document, and the reading of typed lines."""

import sys
from contextlib import AbstractContextManager, nullcontext
from io import TextIOWrapper
from typing import Any, Final

from rich.console import Console

from evilpegs.commands.assist.advice import Advice, Adviser, AssistHistory, Contradiction, Suggestion
from evilpegs.commands.assist.dialog import AssistDialog
from evilpegs.commands.assist.screen import AssistScreen
from evilpegs.options import After, Json, RulesText, require_after
from evilpegs.output import console, print_json
from evilpegs.turns import parse_turns, turns_document
from evilpegs_game.codes import format_code
from evilpegs_game.rules import Rules

CONTRADICTION: Final = 1
QUICK_CODES: Final = 100_000
"""Rules with at most this many codes are answered without a status line."""


def assist(*, rules: RulesText = "classic", after: After = None, as_json: Json = False) -> int:
    """Help a person who plays at a real board: what is left, the best guesses under each criterion, and why.

    You type each guess and the feedback it got. Feedback that contradicts what was typed before is answered with the
    rows that contradict each other, and any row can be changed. With --json there is no dialog: one answer about the
    turns after --after; if they contradict each other, the exit status is 1.
    """
    parsed = Rules.parse(rules)
    history = AssistHistory(parsed, parse_turns(require_after(after), parsed))
    if as_json:
        return _print_advice(history)
    _talk(history, console())
    return 0


def _print_advice(history: AssistHistory) -> int:
    advice = Adviser(history.rules).advise(history)
    print_json(advice_document(advice))
    return 0 if isinstance(advice, Advice) else CONTRADICTION


def _talk(history: AssistHistory, out: Console) -> None:
    def busy() -> AbstractContextManager[object]:
        return out.status("counting") if out.is_terminal and history.rules.size > QUICK_CODES else nullcontext()

    _prepare_input()
    try:
        AssistDialog(history.rules, AssistScreen(out), _read_line, busy).run(history)
    except KeyboardInterrupt:
        out.print()
        raise


def _prepare_input() -> None:
    """Make a terminal edit and remember lines, and replace bytes that cannot be decoded."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
        if sys.stdin.isatty():
            import readline  # noqa: F401, PLC0415 - the import alone makes input() edit lines, for terminals only


def _read_line(prompt: str) -> str | None:
    """Return the line that was typed; None at the end of the input."""
    if sys.stdin is None:  # Python's sign that it was closed before the start
        return None
    try:
        return input(prompt)
    except EOFError:
        return None


def advice_document(advice: Advice | Contradiction) -> dict[str, Any]:
    """Return the document of `evilpegs assist --json`; what does not apply is null or empty."""
    document = {"rules": str(advice.history.rules), "after": turns_document(advice.history.rows)}
    if isinstance(advice, Advice):
        return document | {
            "candidates": advice.codes,
            "codes": [format_code(code) for code in advice.listed],
            "clash": [],
            "among": advice.among,
            "guesses": [_suggestion(suggestion) for suggestion in advice.suggestions],
            "expected_guesses": None if advice.more_guesses is None else float(advice.more_guesses),
        }
    clash = [
        {"row": number, "fitting": [list(feedback) for feedback in fitting]}
        for number, fitting in zip(advice.rows, advice.fitting, strict=True)
    ]
    nothing = {"candidates": 0, "codes": [], "clash": clash, "among": None, "guesses": [], "expected_guesses": None}
    return document | nothing


def _suggestion(suggestion: Suggestion) -> dict[str, Any]:
    figures = suggestion.figures
    return {
        "code": format_code(suggestion.guess),
        "best_by": list(suggestion.best_by),
        "candidate": figures and figures.is_candidate,
        "largest": figures and figures.largest_part,
        "expected_size": figures and float(figures.expected_size),
        "bits": figures and figures.expected_bits,
        "parts": figures and figures.part_count,
    }
