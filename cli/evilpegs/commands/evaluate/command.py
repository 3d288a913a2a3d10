"""The command `evilpegs evaluate` and its options."""

import csv
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, Final

from cyclopts import Parameter
from rich.console import Console

from evilpegs.commands.evaluate.table import show_results
from evilpegs.errors import CommandError, rules_hint
from evilpegs.files import STANDARD, check_name, check_writable
from evilpegs.options import FILE, WHOLE, CandidatesOnly, First, Json, RulesText, StrategyName, Traceback
from evilpegs.output import console, only_document, pluralize, print_json, progress
from evilpegs.plots import bar_chart, check_plot
from evilpegs.strategy_choice import slow_strategies_named, traceback_of_strategy
from evilpegs_clients.evaluation.cost import PROGRAM_BYTES, CostEstimate, check_memory, estimate_cost
from evilpegs_clients.evaluation.results import StrategyResult, compare_results, make_results
from evilpegs_clients.evaluation.run import ExecutionPlan, run_evaluation
from evilpegs_clients.evaluation.spec import make_specs
from evilpegs_game.errors import quoted
from evilpegs_game.rules import Rules

Games = Annotated[
    int | None,
    WHOLE,
    Parameter(name="--games", help="Play this many games against random secrets, instead of every secret."),
]
Seed = Annotated[
    int, WHOLE, Parameter(name="--seed", help="Random seed. Runs with the same seed give the same result.")
]
Jobs = Annotated[
    int, WHOLE, Parameter(name="--jobs", help="The number of processes of this machine that share the work.")
]
Cluster = Annotated[
    str | None,
    Parameter(name="--cluster", help="The Dask scheduler whose workers do the work, like tcp://HOST:8786."),
]
CheckpointFile = Annotated[
    Path | None,
    FILE,
    Parameter(name="--journal", help="Keep what is finished in this file, and go on from what it has."),
]
Plot = Annotated[
    Path | None, FILE, Parameter(name="--plot", help="Write the histogram to this file, a .png or a .svg.")
]
Csv = Annotated[
    str | None,
    FILE,
    Parameter(
        name="--csv", allow_leading_hyphen=True, help="Write one line per strategy to this file; - is standard output."
    ),
]
Worst = Annotated[
    int | None,
    WHOLE,
    Parameter(
        name="--worst",
        help="List this many of the secrets that took the most guesses, each with the command that replays it.",
    ),
]
DryRun = Annotated[bool, Parameter(name="--dry-run", show_default=False, help="Print the estimated cost, and exit.")]

NOTICE_SIZE: Final = 20_000  # secrets; from here on a notice says that the evaluation takes a while
MAX_JOBS: Final = 256
MAX_GAMES: Final = 1_000_000_000
MAX_WORST: Final = 1_000


def evaluate(
    *strategies: StrategyName,
    rules: RulesText = "classic",
    first: First = None,
    candidates_only: CandidatesOnly = False,
    games: Games = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    cluster: Cluster = None,
    journal: CheckpointFile = None,
    plot: Plot = None,
    csv: Csv = None,
    worst: Worst = None,
    dry_run: DryRun = False,
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
    """
    if program is not None:
        raise CommandError("evaluate has no --exec, because it asks a strategy in many processes; duel and bot have it")
    _check_options(strategies, games, jobs, cluster, worst)
    _check_outputs(plot, csv, as_json)
    parsed, plan, err = Rules.parse(rules), ExecutionPlan(jobs, cluster, journal), console(sys.stderr)
    with (
        only_document(as_json or csv == STANDARD),
        traceback_of_strategy(traceback),
        slow_strategies_named(has_bar=True),
    ):
        specs = make_specs(strategies, parsed, first, candidates_only, games or 0, seed, worst or 0)
        costs = [estimate_cost(spec, jobs) for spec in specs]
        for cost in costs:
            check_memory(cost, plan.processes(cost) or 0)
        if not dry_run:
            if not games and parsed.size >= NOTICE_SIZE:
                what = "choosing the first guess" if first is None else "playing"
                err.print(f"{parsed}: {parsed.size:,} secrets; {what}, this takes a while")
            with progress(err) as bar:
                tallies = run_evaluation(costs, plan, err, bar)
            results = make_results(costs, tallies, plan)
    if not dry_run:
        _write(results, plot, csv, as_json)
    elif as_json:
        print_json(costs_document(costs, plan))
    else:
        show_costs(console(), costs, plan)


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
    if games is not None and not 1 <= games <= MAX_GAMES:
        raise CommandError(f"--games must be 1 to {MAX_GAMES:,}, not {games:,}")
    if worst is not None and not 1 <= worst <= MAX_WORST:
        raise CommandError(f"--worst must be 1 to {MAX_WORST:,}, not {worst:,}")


def _check_outputs(plot: Path | None, csv: str | None, as_json: bool) -> None:
    if plot is not None:
        check_plot(plot)
    if csv is not None:
        check_csv(csv)
    if csv == STANDARD and as_json:
        raise CommandError("--csv - and --json both write to standard output; name a file after --csv")


def _write(results: Sequence[StrategyResult], plot: Path | None, csv: str | None, as_json: bool) -> None:
    documents = [result.to_json() for result in results]
    if as_json and len(documents) == 1:
        print_json(documents[0])
    elif as_json:
        comparisons = [comparison.to_json() for comparison in compare_results(results)]
        several = {"rules": documents[0]["rules"], "results": documents}
        print_json(several | ({"comparisons": comparisons} if comparisons else {}))
    elif csv != STANDARD:
        show_results(console(), results)
    if csv is not None:
        write_csv(csv, results)
    if plot is not None:
        plot_histogram(plot, results)


def show_costs(out: Console, costs: Sequence[CostEstimate], plan: ExecutionPlan) -> None:
    """Print the estimated memory, processes and work of each strategy, and the journal."""
    for cost in costs:
        out.print(f"{cost.spec.strategy} on {cost.spec.rules}: {_games_text(cost)}")
        out.print(f"  memory  {_memory_text(cost)}{_processes_text(cost, plan)}")
        out.print(f"  work    {cost.work}, {_units_text(cost, plan)}")
    path = plan.checkpoint_path(costs)
    out.print(f"journal: {path}" if path else "journal: none, this takes only seconds", soft_wrap=True)


def costs_document(costs: Sequence[CostEstimate], plan: ExecutionPlan) -> dict[str, Any]:
    """Return the costs as the JSON object of `evilpegs evaluate --dry-run --json`."""
    path = plan.checkpoint_path(costs)
    return {
        "rules": str(costs[0].spec.rules),
        "journal": None if path is None else str(path),
        "costs": [
            {
                "strategy": cost.spec.strategy,
                "bytes": cost.memory,
                "processes": plan.processes(cost),
                "units": min_units(cost, plan),
                "work": cost.work,
            }
            for cost in costs
        ],
    }


def min_units(cost: CostEstimate, plan: ExecutionPlan) -> int:
    """Return the least number of units; the exact one follows from the parts, which are not known before."""
    size = cost.spec.games or cost.spec.rules.size
    return -(-size // cost.unit_size) if plan.uses_units(cost) else 1


def _games_text(cost: CostEstimate) -> str:
    spec = cost.spec
    if spec.games:
        return f"{pluralize(spec.games, 'game')} of seed {spec.seed}"
    return f"{pluralize(spec.rules.size, 'secret')}"


def _memory_text(cost: CostEstimate) -> str:
    program = f"about {PROGRAM_BYTES // 1_000_000} MB that the program takes itself"
    return f"at most {-(-cost.memory // 1_000_000):,} MB, and {program}"


def _processes_text(cost: CostEstimate, plan: ExecutionPlan) -> str:
    processes = plan.processes(cost)
    if processes is None:
        return ", in each worker of the cluster"
    return f", in each of {processes} processes" if processes > 1 else ""


def _units_text(cost: CostEstimate, plan: ExecutionPlan) -> str:
    if not plan.uses_units(cost):
        return "in one piece in this process"
    what = "games" if cost.spec.games else "candidates"
    return f"in {min_units(cost, plan):,} units or more, of at most {cost.unit_size:,} {what}"


EXACT_FIELDS: Final = ("rules", "strategy", "first", "codes", "total", "mean", "max", "seconds")
SIMULATED_FIELDS: Final = (
    *("rules", "strategy", "first", "games", "seed"),
    *("total", "mean", "low", "high", "max", "seconds"),
)


def check_csv(target: str) -> None:
    """Raise CommandError if no CSV file can be written to ``target``; call this before the evaluation."""
    check_name(target)
    if target == STANDARD:
        return
    if not Path(target).parent.is_dir():
        raise CommandError(
            f"there is no directory {Path(target).parent} for the CSV file; make it or name another file"
        )
    check_writable(target)


def write_csv(target: str, results: Sequence[StrategyResult]) -> None:
    """Write a line per strategy; its last columns count the secrets, or games, solved at each guess."""
    fields = SIMULATED_FIELDS if results[0].spec.games else EXACT_FIELDS
    most = max(len(result.distribution) for result in results)
    with _open_to_write(target) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*fields, *range(1, most + 1)])
        for result in results:
            low, high = result.interval or (None, None)
            values = result.to_json() | {"low": low, "high": high}
            missing = [0] * (most - len(result.distribution))
            writer.writerow([*(values[field] for field in fields), *result.distribution, *missing])


@contextmanager
def _open_to_write(target: str) -> Iterator[IO[str]]:
    if target == STANDARD:
        yield sys.stdout
        return
    try:
        with Path(target).open("w", newline="") as file:
            yield file
    except OSError as error:
        raise CommandError(f"{target} cannot be written: {error.strerror}") from error


def plot_histogram(path: Path, results: Sequence[StrategyResult]) -> None:
    """Write a chart of the secrets, or games, that each strategy solved at each guess."""
    played = "games" if results[0].spec.games else "secrets"
    most = max(len(result.distribution) for result in results)
    series = {f"{result.name}, mean {result.figures.mean:.4f}": result.distribution for result in results}
    bar_chart(path, _title(results), [str(guesses) for guesses in range(1, most + 1)], series, "guesses", played)


def _title(results: Sequence[StrategyResult]) -> str:
    spec, count = results[0].spec, sum(results[0].distribution)
    played = pluralize(count, "game") if spec.games else f"{count:,} secrets"
    if len(results) > 1:
        return f"{spec.rules}, {played}"
    return f"{results[0].name} on {spec.rules}: {played}, mean {results[0].figures.mean:.4f}"
