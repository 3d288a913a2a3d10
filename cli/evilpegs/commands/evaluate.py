"""`evilpegs evaluate`: the guesses that strategies need, over every secret or in simulated games."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter
from rich.console import Console

from evilpegs.api.evaluation import MAX_GAMES, MAX_JOBS
from evilpegs.errors import CommandError, rules_hint
from evilpegs.files import STANDARD, check_csv, write_csv
from evilpegs.options import (
    FILE,
    WHOLE,
    CandidatesOnly,
    CheckpointFile,
    Csv,
    First,
    Jobs,
    Json,
    RulesText,
    StrategyName,
    Traceback,
    check_range,
)
from evilpegs.output import (
    Column,
    console,
    format_number,
    only_document,
    pluralize,
    print_histogram,
    print_json,
    print_table,
    progress,
    small_bars,
)
from evilpegs.plots import check_plot, plot_counts
from evilpegs.strategy_choice import slow_strategies_named, traceback_of_strategy, warn_of_known_seed
from evilpegs_clients.evaluation.cost import PROGRAM_BYTES, CostEstimate
from evilpegs_clients.evaluation.results import Comparison, CostlySecret, StrategyResult, compare_to_best, make_results
from evilpegs_clients.evaluation.run import ExecutionPlan, run_evaluation
from evilpegs_clients.evaluation.spec import StrategySpec, make_specs
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_game.codes import format_code
from evilpegs_game.errors import quoted
from evilpegs_game.rules import Rules

NOTICE_SIZE: Final = 20_000  # secrets; from here on a notice says that the evaluation takes a while
MAX_WORST: Final = 1_000


def evaluate(
    *strategies: StrategyName,
    rules: RulesText = "classic",
    first: First = None,
    candidates_only: CandidatesOnly = False,
    games: Annotated[int | None, WHOLE] = None,
    seed: Annotated[int, WHOLE] = 0,
    jobs: Jobs = 1,
    cluster: str | None = None,
    journal: CheckpointFile = None,
    plot: Annotated[Path | None, FILE] = None,
    csv: Csv = None,
    worst: Annotated[int | None, WHOLE] = None,
    dry_run: bool = False,
    traceback: Traceback = False,
    as_json: Json = False,
    program: Annotated[str | None, Parameter(name="--exec", show=False)] = None,
) -> None:
    """Play strategies against every secret of the rules and count their guesses, exactly.

    The game tree is walked once: secrets that got the same feedback so far share one choice. Several strategies are
    shown as a table. With --json, one strategy prints one document, and several print `{"rules": ..., "results":
    [...]}` with one document for each. With --games, secrets are drawn at random, and the mean has a 95 %
    interval. Several strategies then play against the same secrets, and the best one is compared with each of the
    others by their differences in each game.

    Long work is divided into units, and a journal in your data directory keeps those that are finished: the same
    command, if it was interrupted, continues from there. The journal is removed at the end; one that --journal names
    stays, and the same command then answers at once. Work of a few seconds is done in this process without a journal.
    Results never depend on --jobs or --cluster.

    Args:
        games: Play this many games against random secrets, instead of every secret.
        seed: Random seed. Runs with the same seed give the same result.
        cluster: The Dask scheduler whose workers do the work, like tcp://HOST:8786.
        plot: Write the histogram to this file, a .png or a .svg.
        worst: List this many of the secrets that took the most guesses, each with the command that replays it.
        dry_run: Print the estimated cost, and exit.
    """
    if program is not None:
        raise CommandError("evaluate has no --exec, because it asks a strategy in many processes; duel and bot have it")
    _check_options(strategies, games, jobs, cluster, worst)
    if plot is not None:
        check_plot(plot)
    check_csv(csv, as_json)
    parsed, plan, err = Rules.parse(rules), ExecutionPlan(jobs, cluster, journal), console(sys.stderr)
    with (
        only_document(as_json or csv == STANDARD),
        traceback_of_strategy(traceback),
        slow_strategies_named(has_bar=True),
    ):
        specs = make_specs(strategies, parsed, first, candidates_only, games or 0, seed, worst or 0)
        costs = plan.costs(specs)
        if not dry_run:
            if games:
                warn_of_known_seed(strategies, seed)
            if not games and parsed.size >= NOTICE_SIZE:
                what = "choosing the first guess" if first is None else "playing"
                err.print(f"{parsed}: {parsed.size:,} secrets; {what}, this takes a while")
            with progress(err) as bar:
                tallies = run_evaluation(costs, plan, err, bar)
            results = make_results(costs, tallies, plan)
    if not dry_run:
        _write(results, plot, csv, as_json)
    elif as_json:
        print_json(_costs_document(costs, plan))
    else:
        _show_costs(console(), costs, plan)


def _check_options(
    strategies: Sequence[str], games: int | None, jobs: int, cluster: str | None, worst: int | None
) -> None:
    if not strategies:
        raise CommandError("no strategy to evaluate; name one or more, see: evilpegs evaluate --help")
    if mistaken := [name for name in strategies if rules_hint(name)]:
        raise CommandError(f"no strategy {quoted(mistaken[0])}{rules_hint(mistaken[0])}")
    if not 1 <= jobs <= MAX_JOBS:
        raise CommandError(f"--jobs must be 1 to {MAX_JOBS}, not {jobs}")
    if jobs > 1 and cluster is not None:
        raise CommandError("--jobs is for this machine and --cluster for others; take one of them")
    check_range("--games", games, MAX_GAMES)
    check_range("--worst", worst, MAX_WORST)


def _write(results: Sequence[StrategyResult], plot: Path | None, csv: str | None, as_json: bool) -> None:
    documents = [result.to_json() for result in results]
    if as_json and len(documents) == 1:
        print_json(documents[0])
    elif as_json:
        comparisons = [comparison.to_json() for comparison in compare_to_best(results)]
        several = {"rules": documents[0]["rules"], "results": documents}
        print_json(several | ({"comparisons": comparisons} if comparisons else {}))
    elif csv != STANDARD:
        show_results(console(), results)
    if csv is not None:
        _write_csv(csv, results)
    if plot is not None:
        plot_counts(plot, [(result.name, result.figures) for result in results], bool(results[0].spec.games))


def _show_costs(out: Console, costs: Sequence[CostEstimate], plan: ExecutionPlan) -> None:
    for cost in costs:
        spec, processes = cost.spec, plan.processes(cost)
        out.print(f"{spec.strategy} on {spec.rules}: {_games_text(spec, spec.games or spec.rules.size)}")
        program = f"about {PROGRAM_BYTES // 1_000_000} MB that the program takes itself"
        if processes is None:
            program += ", in each worker of the cluster"
        elif processes > 1:
            program += f", in each of {processes} processes"
        out.print(f"  memory  at most {-(-cost.memory // 1_000_000):,} MB, and {program}")
        parts = "in one piece in this process"
        if plan.uses_units(cost):
            what = "games" if spec.games else "candidates"
            parts = f"in {_min_units(cost, plan):,} units or more, of at most {cost.unit_size:,} {what}"
        out.print(f"  work    {cost.work}, {parts}")
    path = plan.checkpoint_path(costs)
    out.print(f"journal: {path}" if path else "journal: none, this takes only seconds", soft_wrap=True)


def _costs_document(costs: Sequence[CostEstimate], plan: ExecutionPlan) -> dict[str, Any]:
    path = plan.checkpoint_path(costs)
    return {
        "rules": str(costs[0].spec.rules),
        "journal": None if path is None else str(path),
        "costs": [
            {
                "strategy": cost.spec.strategy,
                "bytes": cost.memory,
                "processes": plan.processes(cost),
                "units": _min_units(cost, plan),
                "work": cost.work,
            }
            for cost in costs
        ],
    }


def _min_units(cost: CostEstimate, plan: ExecutionPlan) -> int:
    # the exact number follows from the parts, which are not known before
    size = cost.spec.games or cost.spec.rules.size
    return -(-size // cost.unit_size) if plan.uses_units(cost) else 1


EXACT_FIELDS: Final = ("rules", "strategy", "first", "codes", "total", "mean", "max", "seconds")
SIMULATED_FIELDS: Final = (
    *("rules", "strategy", "first", "games", "seed"),
    *("total", "mean", "low", "high", "max", "seconds"),
)


def _write_csv(target: str, results: Sequence[StrategyResult]) -> None:
    # the last columns count the secrets, or games, solved at each guess
    fields = SIMULATED_FIELDS if results[0].spec.games else EXACT_FIELDS
    most = max(len(result.distribution) for result in results)
    rows: list[list[Any]] = [[*fields, *range(1, most + 1)]]
    for result in results:
        low, high = result.interval or (None, None)
        values = result.to_json() | {"low": low, "high": high}
        missing = [0] * (most - len(result.distribution))
        rows.append([*(values[field] for field in fields), *result.distribution, *missing])
    write_csv(target, rows)


def show_results(out: Console, results: Sequence[StrategyResult]) -> None:
    if len(results) == 1:
        _show_one(out, results[0])
    else:
        out.print(f"{results[0].spec.rules}: {_games_text(results[0].spec, sum(results[0].distribution))}")
        out.print()
        print_table(out, results, _columns(results))
        for result in results:
            _explain_randomness(out, result)
        comparisons = compare_to_best(results)
        if comparisons:
            out.print()
        for comparison in comparisons:
            out.print(f"{comparison.worse.name} needs {_difference_text(comparison)}", soft_wrap=True)
    for result in results:
        _show_worst(out, result)


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
        command = _replay_command(result.spec, costly)
        out.print(f"  {format_code(costly.secret)}  {guesses}  {command}", soft_wrap=True)


def _replay_command(spec: StrategySpec, costly: CostlySecret) -> str:
    first = [] if spec.first is None else ["--first", spec.first]
    seed = ["--seed", str(costly.seed)] if spec.load().uses_rng else []
    only = ["--candidates-only"] if spec.candidates_only else []
    game = ["--rules", str(spec.rules), "--secret", format_code(costly.secret)]
    return shlex.join(["evilpegs", "duel", spec.strategy, *game, *first, *seed, *only])


def _show_one(out: Console, result: StrategyResult) -> None:
    figures, rules = result.figures, result.spec.rules
    if result.first is None:
        out.print(f"{result.name} on {rules}")
    else:
        out.print(f"{result.name} on {rules}, first guess", peg_text(format_code(result.first)))
    interval = f" (95 % interval {_interval_bounds(result)})" if result.interval else ""
    pace = f", {_ms_per_guess(result)} ms per guess" if result.ms_per_guess is not None else ""
    games = _games_text(result.spec, sum(result.distribution))
    out.print(
        f"{games}, {figures.total:,} guesses, mean {figures.mean:.4f}{interval}, "
        f"at most {figures.max}, in {result.seconds:.3f} s{pace}"
    )
    _explain_randomness(out, result)
    print_histogram(out, result.distribution, "games" if result.spec.games else "secrets")


def _games_text(spec: StrategySpec, count: int) -> str:
    return f"{pluralize(count, 'game')} of seed {spec.seed}" if spec.games else pluralize(count, "secret")


def _explain_randomness(out: Console, result: StrategyResult) -> None:
    if result.is_one_seed:
        seed = result.spec.seed
        out.print(f"{result.name} is randomized; this is seed {seed}; for its mean over many games: --games N")
    if result.expected is not None:
        mean = f"mean {float(result.expected):.6f}, computed exactly"
        out.print(f"{result.name} averaged over all random choices: {mean}")


def _columns(results: Sequence[StrategyResult]) -> list[Column[StrategyResult]]:
    most = max(len(result.distribution) for result in results)
    columns: list[Column[StrategyResult]] = [
        Column("strategy", lambda result: result.name, style="bold"),
        Column("first", lambda result: format_code(result.first) if result.first else ""),
        Column("guesses", lambda result: f"{result.figures.total:,}", "right"),
        Column("mean", lambda result: f"{result.figures.mean:.4f}", "right"),
        Column("95 % interval", _interval_bounds, "right"),
        Column("most", lambda result: str(result.figures.max), "right"),
        Column("seconds", lambda result: f"{result.seconds:.3f}", "right"),
        Column("ms per guess", _ms_per_guess, "right"),
    ]
    left_out = set() if results[0].spec.games else {"95 % interval", "ms per guess"}
    if not any(result.first for result in results):
        left_out.add("first")
    # in place of the counts on a narrow terminal
    bars: Column[StrategyResult] = Column(
        f"guesses\n1-{most}", None, narrow={1: lambda result: small_bars(result.distribution), 2: None}
    )
    shown = [column for column in columns if column.heading not in left_out]
    return [*shown, *map(_count_column, range(most)), bars]


def _count_column(index: int) -> Column[StrategyResult]:
    def cell(result: StrategyResult) -> str:
        # blank if the strategy always needs fewer guesses
        return format_number((*result.distribution, *[None] * index)[index])

    return Column(str(index + 1), cell, "right", narrow={1: None})


def _interval_bounds(result: StrategyResult) -> str:
    return "" if result.interval is None else "{:.4f}-{:.4f}".format(*result.interval)


def _ms_per_guess(result: StrategyResult) -> str:
    return "" if result.ms_per_guess is None else f"{result.ms_per_guess:.3f}"
