"""`evilpegs assist`: help for a person at a real board.

Advice as a JSON document.
"""

import sys
from contextlib import AbstractContextManager, nullcontext
from io import TextIOWrapper
from typing import Any, Final

from rich.console import Console

from evilpegs.commands.assist.advice import Advice, Adviser, AssistHistory, Contradiction, Suggestion
from evilpegs.commands.assist.dialog import AssistDialog
from evilpegs.commands.assist.screen import AssistScreen
from evilpegs.options import After, Json, RulesText, parse_turns, require_after, turns_document
from evilpegs.output import console, print_json
from evilpegs_game.codes import format_code
from evilpegs_game.rules import Rules


def advice_document(found: Advice | Contradiction) -> dict[str, Any]:
    """The document of `evilpegs assist --json`; what does not apply is null or empty."""
    document = {"rules": str(found.board.rules), "after": turns_document(found.board.rows)}
    if isinstance(found, Advice):
        return document | {
            "candidates": found.codes,
            "codes": [format_code(code) for code in found.listed],
            "clash": [],
            "among": found.among,
            "guesses": [_suggestion(suggestion) for suggestion in found.suggestions],
            "expected_guesses": None if found.more_guesses is None else float(found.more_guesses),
        }
    clash = [
        {"row": number, "fitting": [list(given) for given in fitting]}
        for number, fitting in zip(found.rows, found.fitting, strict=True)
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


CONTRADICTION: Final = 1
QUICK_CODES: Final = 100_000
"""With so many codes every answer comes at once."""


def assist(*, rules: RulesText = "classic", after: After = None, as_json: Json = False) -> int:
    """Help a person who plays at a real board: what is left, the best guesses under each criterion, and why.

    You type each guess and the feedback it got. Feedback that contradicts what was typed before is answered with the
    rows that clash, and any row can be changed. With --json there is no dialog: one answer about the turns after
    --after; where they clash, the exit status is 1.
    """
    parsed = Rules.parse(rules)
    board = AssistHistory(parsed, parse_turns(require_after(after), parsed))
    if as_json:
        return _answer(board)
    _talk(board, console())
    return 0


def _answer(board: AssistHistory) -> int:
    found = Adviser(board.rules).advise(board)
    print_json(advice_document(found))
    return 0 if isinstance(found, Advice) else CONTRADICTION


def _talk(board: AssistHistory, out: Console) -> None:
    def thinking() -> AbstractContextManager[object]:
        return out.status("counting") if out.is_terminal and board.rules.size > QUICK_CODES else nullcontext()

    _prepare_input()
    try:
        AssistDialog(board.rules, AssistScreen(out), _read, thinking).run(board)
    except KeyboardInterrupt:
        out.print()
        raise


def _prepare_input() -> None:
    """A terminal edits lines and remembers them; what cannot be decoded is an unknown symbol."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
        if sys.stdin.isatty():
            import readline  # noqa: F401, PLC0415 - the import alone makes input() edit lines, for terminals only


def _read(prompt: str) -> str | None:
    """The line that was typed; None at the end."""
    if sys.stdin is None:  # Python's way to say that it was closed before the start
        return None
    try:
        return input(prompt)
    except EOFError:
        return None
