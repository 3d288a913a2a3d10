"""What an evaluation found, for people: one strategy with its histogram, or several side by side."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table

from evilpegs.output import pluralize
from evilpegs.tables import Column, make_table, number, plain_table, print_first_fit
from evilpegs_clients.evaluation.results import EvaluationResult
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_game.codes import format_code

BAR: Final = 40
BARS: Final = " ▁▂▃▄▅▆▇█"


def show(out: Console, results: Sequence[EvaluationResult]) -> None:
    """Print one result with its histogram, or several as rows of a table."""
    if len(results) == 1:
        _show_one(out, results[0])
        return
    out.print(f"{results[0].spec.rules}: {_played(results[0])}")
    out.print()
    print_first_fit(out, _tables(results))
    for result in results:
        _explain_chance(out, result)


def _show_one(out: Console, result: EvaluationResult) -> None:
    figures, rules = result.figures, result.spec.rules
    if result.first is None:
        out.print(f"{result.name} on {rules}")
    else:
        out.print(f"{result.name} on {rules}, first guess", peg_text(format_code(result.first)))
    out.print(
        f"{_played(result)}, {figures.total:,} guesses, mean {figures.mean:.4f}{_interval(result)}, "
        f"at most {figures.max}, in {result.seconds:.3f} s"
    )
    _explain_chance(out, result)
    table = plain_table()
    table.add_column("guesses", justify="right")
    table.add_column("games" if result.spec.games else "secrets", justify="right")
    table.add_column("")
    most = max(result.distribution)
    for guesses, secrets in enumerate(result.distribution, 1):
        table.add_row(str(guesses), f"{secrets:,}", "█" * round(BAR * secrets / most))
    out.print(table)


def _played(result: EvaluationResult) -> str:
    many = sum(result.distribution)
    return f"{pluralize(many, 'game')} of seed {result.spec.seed}" if result.spec.games else f"{many:,} secrets"


def _interval(result: EvaluationResult) -> str:
    return f" (95 % interval {_between(result)})" if result.interval else ""


def _explain_chance(out: Console, result: EvaluationResult) -> None:
    """Say of a strategy that plays by chance what its numbers are of."""
    if result.is_one_seed:
        seed = result.spec.seed
        out.print(f"{result.name} plays by chance, here as seed {seed} has it; for its mean over many games: --games N")
    if result.expected is not None:
        out.print(f"{result.name} over all chance: mean {float(result.expected):.6f}, computed exactly")


def _tables(results: Sequence[EvaluationResult]) -> Iterator[Table]:
    """With how many were solved at each guess; where that is too wide with a bar for each, then without."""
    most = max(len(result.distribution) for result in results)
    columns = [NAME, *([FIRST] if any(result.first for result in results) else []), *FIGURES]
    if results[0].spec.games:
        columns.insert(-2, INTERVAL)
    yield make_table(results, [*columns, *map(_solved_at, range(most))])
    yield make_table(results, [*columns, Column(f"guesses\n1-{most}", _bars)])
    yield make_table(results, columns)


def _solved_at(place: int) -> Column[EvaluationResult]:
    return Column(str(place + 1), lambda result: number((*result.distribution, *[None] * place)[place]), "right")


def _bars(result: EvaluationResult) -> str:
    """A bar for each number of guesses; what occurred at all is never blank."""
    most, steps = max(result.distribution), len(BARS) - 1
    return "".join(BARS[-(-many * steps // most)] for many in result.distribution)


def _between(result: EvaluationResult) -> str:
    return "" if result.interval is None else "{:.4f}-{:.4f}".format(*result.interval)


NAME: Final = Column[EvaluationResult]("strategy", lambda result: result.name, style="bold")
FIRST: Final = Column[EvaluationResult]("first", lambda result: format_code(result.first or ()))
INTERVAL: Final = Column("95 % interval", _between, "right")
FIGURES: Final = (
    Column[EvaluationResult]("guesses", lambda result: f"{result.figures.total:,}", "right"),
    Column[EvaluationResult]("mean", lambda result: f"{result.figures.mean:.4f}", "right"),
    Column[EvaluationResult]("most", lambda result: str(result.figures.max), "right"),
    Column[EvaluationResult]("seconds", lambda result: f"{result.seconds:.3f}", "right"),
)
