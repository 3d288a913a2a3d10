"""The command `evilpegs solve`: the best strategy as a tree with a proof, or the fewest guesses against a codemaker."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Final, Literal

from cyclopts import Parameter
from rich.console import Console

from evilpegs.commands.solve.against import show_against
from evilpegs.commands.solve.progress import BoundsProgress
from evilpegs.commands.solve.proof_log_file import ProofLogFile
from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, check_writable
from evilpegs.options import FILE, WHOLE, Json, RulesText
from evilpegs.output import console, pluralize, print_json
from evilpegs.tree_files import TREE, write_tree
from evilpegs_game.optimal.first_guesses import Progress
from evilpegs_game.optimal.proof_log import ProofLog
from evilpegs_game.optimal.solve import Objective, Solution, SolveCost, solve_cost
from evilpegs_game.optimal.solve import solve as solve_rules
from evilpegs_game.rules import Rules

Solver = Callable[[Rules, Objective, int, ProofLog | None, Callable[[Progress], None]], Solution]


MAX_THREADS: Final = 256


def solve(
    *,
    rules: RulesText = "classic",
    objective: Annotated[
        Literal["mean", "worst"],
        Parameter(
            help="mean: the fewest guesses for all codes together. worst: the fewest for the worst code, and among "
            "those strategies the fewest for all codes."
        ),
    ] = "mean",
    out: Annotated[
        str, FILE, Parameter(allow_leading_hyphen=True, help="The file for the tree; - for standard output.")
    ] = "-",
    journal: Annotated[
        Path | None,
        FILE,
        Parameter(
            help="Keep what is proved in this file, and go on from it; by default OUT.journal, and none if the tree "
            "goes to standard output."
        ),
    ] = None,
    threads: Annotated[
        int | None, WHOLE, Parameter(help="The number of threads that search; by default one per processor.")
    ] = None,
    against: Annotated[
        Literal["evil", "devil"] | None,
        Parameter(
            help="Find instead the fewest guesses that are sure to beat this codemaker; against evil, print them too."
        ),
    ] = None,
    dry_run: Annotated[bool, Parameter(show_default=False, help="Print the estimated cost, and exit.")] = False,
    as_json: Json = False,
) -> None:
    """Find the best strategy for all codes of the rules and prove that there is no better one.

    Any code may be guessed. The strategy is written as a tree, which `evilpegs certify` checks. Bounds on its total
    number of guesses are shown as they tighten. A journal beside the tree keeps what is proved: the same command, if it
    was interrupted, continues from there. The journal is removed at the end, unless --journal names it.
    """
    if against:
        _check_only_against(
            objective=objective != "mean",
            out=out != STANDARD,
            journal=journal is not None,
            threads=threads is not None,
            dry_run=dry_run,
        )
    check_writable(out, TREE)
    thread_count = _thread_count(threads)
    parsed = Rules.parse(rules)
    if against:
        show_against(against, parsed, as_json)
        return
    cost = solve_cost(parsed, thread_count)
    if dry_run:
        _show_cost(parsed, cost, as_json)
        return
    path = journal or (None if out == STANDARD else Path(f"{out}.journal"))
    file = None if path is None else _open_proof_log(path, parsed)
    err = console(sys.stderr)
    err.print(_cost_line(parsed, cost))
    start = monotonic()
    solution = run_solver(solve_rules, parsed, objective, thread_count, file, err)
    _write(solution, objective, out, monotonic() - start, as_json)
    if file and not journal:
        file.remove()


def _check_only_against(**options: bool) -> None:
    for option in (f"--{name.replace('_', '-')}" for name, is_given in options.items() if is_given):
        raise CommandError(f"{option} is for the best strategy, not for --against; take one of them")


def _thread_count(threads: int | None) -> int:
    count = os.cpu_count() or 1 if threads is None else threads
    if not 1 <= count <= MAX_THREADS:
        raise CommandError(f"--threads must be 1 to {MAX_THREADS}, not {count}")
    return count


def _cost_line(rules: Rules, cost: SolveCost) -> str:
    firsts = pluralize(cost.first_guesses, "first guess that differs", "first guesses that differ")
    codes, left = pluralize(rules.size, "code"), pluralize(cost.largest_part, "code")
    return f"{rules}: {codes}, {firsts}, {left} at most after one; at most {-(-cost.memory // 1_000_000):,} MB"


def _show_cost(rules: Rules, cost: SolveCost, as_json: bool) -> None:
    if as_json:
        print_json({"rules": str(rules), "codes": rules.size, **cost._asdict()})
    else:
        console().print(_cost_line(rules, cost))


def _open_proof_log(path: Path, rules: Rules) -> ProofLogFile:
    file = ProofLogFile(path, rules, monotonic)
    file.save()  # so that an error in writing is reported before the work
    return file


def run_solver(
    solver: Solver, rules: Rules, objective: Objective, threads: int, file: ProofLogFile | None, out: Console
) -> Solution:
    """Return the solution, and print bounds as they tighten; even if interrupted, save what is proved."""
    bounds_progress = BoundsProgress(out, rules, monotonic)

    def progress(bounds: Progress) -> None:
        bounds_progress(bounds)
        if file:
            file.tick()

    try:
        return solver(rules, objective, threads, file.proof_log if file else None, progress)
    finally:
        bounds_progress.print_latest()
        if file:
            file.save()


def _write(solution: Solution, objective: Objective, out: str, seconds: float, as_json: bool) -> None:
    if as_json:
        if out != STANDARD:
            write_tree(out, solution.tree)
        print_json(_document(solution, objective, out, seconds))
        return
    write_tree(out, solution.tree)
    console(sys.stderr if out == STANDARD else None).print(_summary(solution, seconds))


def _document(solution: Solution, objective: Objective, out: str, seconds: float) -> dict[str, Any]:
    document = {"rules": str(solution.tree.rules), "objective": objective} | solution.to_json()
    tree = {"tree": document.pop("tree")}
    return document | {"seconds": round(seconds, 6)} | (tree if out == STANDARD else {"out": out})


def _summary(solution: Solution, seconds: float) -> str:
    codes = solution.tree.rules.size
    proved = "there is no better tree" if solution.is_proved else f"no tree has under {solution.lower:,}"
    return (
        f"{solution.tree.rules}: {pluralize(solution.total, 'guess', 'guesses')} for {pluralize(codes, 'code')}, mean "
        f"{solution.total / codes:.6f}, at most {solution.max}; proved in {seconds:.2f} s: {proved}"
    )
