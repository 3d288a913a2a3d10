"""The results of an evaluation for people: one strategy with a histogram, or a table with a row per strategy."""

import shlex
from collections.abc import Sequence
from typing import Final

from rich.console import Console

from evilpegs.output import Column, format_number, pluralize, print_histogram, print_table, small_bars
from evilpegs_clients.evaluation.results import Comparison, CostlySecret, StrategyResult, compare_results
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_game.codes import format_code


def show_results(out: Console, results: Sequence[StrategyResult]) -> None:
    """Print one result with its histogram, or several as a table with comparisons below it."""
    if len(results) == 1:
        _show_one(out, results[0])
    else:
        out.print(f"{results[0].spec.rules}: {_games_text(results[0])}")
        out.print()
        print_table(out, results, _columns(results))
        for result in results:
            _explain_randomness(out, result)
        _show_comparisons(out, compare_results(results))
    for result in results:
        _show_worst(out, result)


def _show_comparisons(out: Console, comparisons: Sequence[Comparison]) -> None:
    if comparisons:
        out.print()
    for comparison in comparisons:
        out.print(f"{comparison.worse.name} needs {_difference_text(comparison)}", soft_wrap=True)


def _difference_text(comparison: Comparison) -> str:
    difference, interval = comparison.difference, comparison.difference.interval
    bounds = "" if interval is None else " (95 % interval {:.4f} to {:.4f})".format(*interval)
    text = f"{difference.mean:.4f} more guesses per game than {comparison.better.name}{bounds}"
    if difference.games == 1:
        return f"{text}: one game gives no interval"
    if difference.most_other is not None:
        return (
            f"{text}: the difference was the same in all {difference.games:,} games, which gives no interval; "
            f"up to about {100 * difference.most_other:.2g} % of all games may have another one (95 % confidence)"
        )
    if difference.is_separated:
        return text
    games = difference.games_to_separate
    if games is None:
        return f"{text}: no difference"
    return f"{text}: not separated; about {games:,} games would do it"


def _show_worst(out: Console, result: StrategyResult) -> None:
    if not result.worst:
        return
    out.print(f"\nthe most guesses of {result.name}, and how to replay them")
    for costly in result.worst:
        guesses = pluralize(costly.guesses, "guess", "guesses")
        out.print(
            f"  {format_code(costly.secret)}  {guesses}  {shlex.join(replay_command(result, costly))}", soft_wrap=True
        )


def replay_command(result: StrategyResult, costly: CostlySecret) -> list[str]:
    """Return the `evilpegs duel` command that plays the game against a costly secret again."""
    spec = result.spec
    first = [] if spec.first is None else ["--first", spec.first]
    seed = ["--seed", str(costly.seed)] if spec.load().uses_rng else []
    only = ["--candidates-only"] if spec.candidates_only else []
    game = ["--rules", str(spec.rules), "--secret", format_code(costly.secret)]
    return ["evilpegs", "duel", spec.strategy, *game, *first, *seed, *only]


def _show_one(out: Console, result: StrategyResult) -> None:
    figures, rules = result.figures, result.spec.rules
    if result.first is None:
        out.print(f"{result.name} on {rules}")
    else:
        out.print(f"{result.name} on {rules}, first guess", peg_text(format_code(result.first)))
    interval = f" (95 % interval {_interval_bounds(result)})" if result.interval else ""
    pace = "" if result.ms_per_guess is None else f", {result.ms_per_guess:.3f} ms per guess"
    out.print(
        f"{_games_text(result)}, {figures.total:,} guesses, mean {figures.mean:.4f}{interval}, "
        f"at most {figures.max}, in {result.seconds:.3f} s{pace}"
    )
    _explain_randomness(out, result)
    print_histogram(out, result.distribution, "games" if result.spec.games else "secrets")


def _games_text(result: StrategyResult) -> str:
    count = sum(result.distribution)
    return f"{pluralize(count, 'game')} of seed {result.spec.seed}" if result.spec.games else f"{count:,} secrets"


def _explain_randomness(out: Console, result: StrategyResult) -> None:
    if result.is_one_seed:
        seed = result.spec.seed
        out.print(f"{result.name} is randomized; this is seed {seed}; for its mean over many games: --games N")
    if result.expected is not None:
        out.print(
            f"{result.name} averaged over all random choices: mean {float(result.expected):.6f}, computed exactly"
        )


def _columns(results: Sequence[StrategyResult]) -> list[Column[StrategyResult]]:
    most = max(len(result.distribution) for result in results)
    columns = [NAME, *([FIRST] if any(result.first for result in results) else []), *FIGURES]
    if results[0].spec.games:
        columns.insert(-2, INTERVAL)
        columns.append(MS_PER_GUESS)
    # in place of the counts on a narrow terminal
    bars: Column[StrategyResult] = Column(
        f"guesses\n1-{most}", None, narrow={1: lambda result: small_bars(result.distribution), 2: None}
    )
    return [*columns, *map(_count_column, range(most)), bars]


def _count_column(index: int) -> Column[StrategyResult]:
    def cell(result: StrategyResult) -> str:
        # blank if the strategy always needs fewer guesses
        return format_number((*result.distribution, *[None] * index)[index])

    return Column(str(index + 1), cell, "right", narrow={1: None})


def _interval_bounds(result: StrategyResult) -> str:
    return "" if result.interval is None else "{:.4f}-{:.4f}".format(*result.interval)


NAME: Final = Column[StrategyResult]("strategy", lambda result: result.name, style="bold")
FIRST: Final = Column[StrategyResult]("first", lambda result: format_code(result.first or ()))
INTERVAL: Final = Column("95 % interval", _interval_bounds, "right")
MS_PER_GUESS: Final = Column[StrategyResult](
    "ms per guess", lambda result: "" if result.ms_per_guess is None else f"{result.ms_per_guess:.3f}", "right"
)
FIGURES: Final = (
    Column[StrategyResult]("guesses", lambda result: f"{result.figures.total:,}", "right"),
    Column[StrategyResult]("mean", lambda result: f"{result.figures.mean:.4f}", "right"),
    Column[StrategyResult]("most", lambda result: str(result.figures.max), "right"),
    Column[StrategyResult]("seconds", lambda result: f"{result.seconds:.3f}", "right"),
)
