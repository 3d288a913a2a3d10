"""`evilpegs evaluate`: a strategy against every secret."""

import sys
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from evilpegs.errors import naming
from evilpegs.options import CandidatesOnly, First, Json, RulesText, StrategyName
from evilpegs.output import console, only_document, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.progress import Progress

    from evilpegs_game.evaluation import Evaluation
    from evilpegs_game.rules import Rules

BAR: Final = 40
STEPS: Final = 500
MANY: Final = 20_000
"""From this many secrets on it takes a while, and it is said at once what it is about."""


def evaluate(
    strategy: StrategyName,
    /,
    *,
    rules: RulesText = "classic",
    first: First = None,
    candidates_only: CandidatesOnly = False,
    as_json: Json = False,
) -> None:
    """Play a strategy against every secret of the rules and count its guesses, exactly.

    The game tree is walked once: secrets that got the same feedback so far share one choice.
    """
    from evilpegs_clients.strategies.loading import load_strategy
    from evilpegs_clients.strategies.strategy import player
    from evilpegs_clients.warm_up import warm_up
    from evilpegs_game.candidates import LiveSets
    from evilpegs_game.codes import MAX_SPACE_BYTES, parse_code
    from evilpegs_game.evaluation import evaluate as evaluated
    from evilpegs_game.rules import Rules

    parsed = Rules.parse(rules)
    opening = None if first is None else parse_code(first, parsed)
    err = console(sys.stderr)
    with only_document(as_json), naming(strategy):
        chosen = load_strategy(strategy, candidates_only)
        if MANY <= parsed.size <= MAX_SPACE_BYTES // parsed.pegs:
            err.print(_beginning(parsed, is_first_given=first is not None))
        warm_up(chosen, (), LiveSets())
        with progress(err) as bar:
            advance = None if bar.disable else _advancing(bar, parsed)
            begun = perf_counter()
            result = evaluated(player(chosen), parsed, opening, advance)
            seconds = perf_counter() - begun
    if as_json:
        print_json(_document(result, chosen.name, seconds))
    else:
        _show(result, chosen.name, seconds)


def _beginning(rules: "Rules", is_first_given: bool) -> str:
    what = "playing" if is_first_given else "choosing the first guess"
    return f"{rules}: {rules.size:,} secrets; {what}, this takes a while"


def _advancing(bar: "Progress", rules: "Rules") -> "Callable[[int], None]":
    """What moves the bar; seldom enough not to cost anything."""
    task = bar.add_task(f"codes of {rules}", total=rules.size)
    step = max(1, rules.size // STEPS)

    def advance(finished: int) -> None:
        if finished % step == 0:
            bar.update(task, completed=finished)

    return advance


def _document(result: "Evaluation", strategy: str, seconds: float) -> dict[str, Any]:
    from evilpegs_game.codes import format_code

    return {
        "rules": str(result.rules),
        "strategy": strategy,
        "first": format_code(result.first),
        "codes": result.codes,
        "total": result.total,
        "mean": result.mean,
        "max": result.max,
        "distribution": list(result.distribution),
        "seconds": round(seconds, 6),
    }


def _show(result: "Evaluation", strategy: str, seconds: float) -> None:
    from evilpegs.tables import plain_table
    from evilpegs_clients.pegs import peg_text
    from evilpegs_game.codes import format_code

    out = console()
    out.print(f"{strategy} on {result.rules}, first guess", peg_text(format_code(result.first)))
    out.print(
        f"{result.codes:,} secrets, {result.total:,} guesses, mean {result.mean:.4f}, "
        f"at most {result.max}, in {seconds:.3f} s"
    )
    table = plain_table()
    table.add_column("guesses", justify="right")
    table.add_column("secrets", justify="right")
    table.add_column("")
    most = max(result.distribution)
    for guesses, secrets in enumerate(result.distribution, 1):
        table.add_row(str(guesses), f"{secrets:,}", "█" * round(BAR * secrets / most))
    out.print(table)
