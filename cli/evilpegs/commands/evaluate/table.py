"""The results of an evaluation for people: one strategy with its histogram, or several as rows of a table."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table

from evilpegs.output import pluralize
from evilpegs.tables import Column, format_number, histogram_table, make_table, print_first_fit, small_bars
from evilpegs_clients.evaluation.results import StrategyResult
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_game.codes import format_code


def show_results(out: Console, results: Sequence[StrategyResult]) -> None:
    """Print one result with its histogram, or several as rows of a table."""
    if len(results) == 1:
        _show_one(out, results[0])
        return
    out.print(f"{results[0].spec.rules}: {_games_text(results[0])}")
    out.print()
    print_first_fit(out, _tables(results))
    for result in results:
        _explain_randomness(out, result)


def _show_one(out: Console, result: StrategyResult) -> None:
    figures, rules = result.figures, result.spec.rules
    if result.first is None:
        out.print(f"{result.name} on {rules}")
    else:
        out.print(f"{result.name} on {rules}, first guess", peg_text(format_code(result.first)))
    out.print(
        f"{_games_text(result)}, {figures.total:,} guesses, mean {figures.mean:.4f}{_interval_text(result)}, "
        f"at most {figures.max}, in {result.seconds:.3f} s"
    )
    _explain_randomness(out, result)
    out.print(histogram_table(result.distribution, "games" if result.spec.games else "secrets"))


def _games_text(result: StrategyResult) -> str:
    count = sum(result.distribution)
    return f"{pluralize(count, 'game')} of seed {result.spec.seed}" if result.spec.games else f"{count:,} secrets"


def _interval_text(result: StrategyResult) -> str:
    return f" (95 % interval {_interval_bounds(result)})" if result.interval else ""


def _explain_randomness(out: Console, result: StrategyResult) -> None:
    """Print what the numbers of a random strategy stand for."""
    if result.is_one_seed:
        seed = result.spec.seed
        out.print(f"{result.name} plays by chance, here as seed {seed} has it; for its mean over many games: --games N")
    if result.expected is not None:
        out.print(f"{result.name} over all chance: mean {float(result.expected):.6f}, computed exactly")


def _tables(results: Sequence[StrategyResult]) -> Iterator[Table]:
    """Yield the table with the number solved at each guess, then with a bar instead, then with neither."""
    most = max(len(result.distribution) for result in results)
    columns = [NAME, *([FIRST] if any(result.first for result in results) else []), *FIGURES]
    if results[0].spec.games:
        columns.insert(-2, INTERVAL)
    yield make_table(results, [*columns, *map(_count_column, range(most))])
    yield make_table(results, [*columns, Column(f"guesses\n1-{most}", lambda result: small_bars(result.distribution))])
    yield make_table(results, columns)


def _count_column(index: int) -> Column[StrategyResult]:
    """Return the column of those solved at guess ``index`` + 1, blank for strategies that need fewer guesses."""
    return Column(str(index + 1), lambda result: format_number((*result.distribution, *[None] * index)[index]), "right")


def _interval_bounds(result: StrategyResult) -> str:
    return "" if result.interval is None else "{:.4f}-{:.4f}".format(*result.interval)


NAME: Final = Column[StrategyResult]("strategy", lambda result: result.name, style="bold")
FIRST: Final = Column[StrategyResult]("first", lambda result: format_code(result.first or ()))
INTERVAL: Final = Column("95 % interval", _interval_bounds, "right")
FIGURES: Final = (
    Column[StrategyResult]("guesses", lambda result: f"{result.figures.total:,}", "right"),
    Column[StrategyResult]("mean", lambda result: f"{result.figures.mean:.4f}", "right"),
    Column[StrategyResult]("most", lambda result: str(result.figures.max), "right"),
    Column[StrategyResult]("seconds", lambda result: f"{result.seconds:.3f}", "right"),
)
