"""The option --against: the fewest guesses that can beat a codemaker without a secret."""

import sys
from typing import Any, Literal

from evilpegs.output import console, pluralize, print_json
from evilpegs.tables import TurnTableRow, print_turns
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import all_codes, format_code
from evilpegs_game.evaluation.exact import DuelTurn
from evilpegs_game.optimal.against_evil import ShortestLineSearch
from evilpegs_game.rules import Rules

Adversary = Literal["evil", "devil"]


def show_against(adversary: Adversary, rules: Rules, as_json: bool) -> None:
    """Print the fewest guesses that beat evil or a devil, and for evil also a game that needs no more."""
    if adversary == "devil":
        _show(adversary, rules, _guesses_against_devil(rules), (), as_json)
        return
    err = console(sys.stderr)
    line = ShortestLineSearch(rules).run(
        lambda guesses: err.print(f"{rules}: trying {pluralize(guesses, 'guess', 'guesses')}")
    )
    _show(adversary, rules, len(line), line, as_json)


def _guesses_against_devil(rules: Rules) -> int:
    # a devil whose replies are always exact forces as many guesses as the best strategy for the worst case needs
    solver = WorstCase(rules)
    solver.check_codes(rules.size)
    return solver.value(all_codes(rules))


def _show(adversary: Adversary, rules: Rules, guesses: int, line: tuple[DuelTurn, ...], as_json: bool) -> None:
    if as_json:
        print_json(_document(adversary, rules, guesses, line))
        return
    out = console()
    out.print(f"{adversary} on {rules} can be beaten with {pluralize(guesses, 'guess', 'guesses')} and no fewer")
    if line:
        print_turns(out, (TurnTableRow(format_code(guess), feedback, left) for guess, feedback, left in line))


def _document(adversary: Adversary, rules: Rules, guesses: int, line: tuple[DuelTurn, ...]) -> dict[str, Any]:
    document: dict[str, Any] = {"rules": str(rules), "against": adversary, "guesses": guesses}
    return document | ({"turns": [turn.to_json() for turn in line]} if adversary == "evil" else {})
