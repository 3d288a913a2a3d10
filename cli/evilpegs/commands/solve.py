"""`evilpegs solve`: the best strategy as a tree with a proof, or the fewest guesses against a codemaker.

The file of what is proved is the journal to users, after the option --journal, so all messages call it that.
"""

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Annotated, Final, Literal

from cyclopts import Parameter
from rich.console import Console

from evilpegs.api.evaluation import MAX_DEVIL_CODES, MAX_THREADS, Adversary, solve_against
from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, TREE, check_writable, failure_reason, write_text
from evilpegs.options import FILE, WHOLE, Json, RulesText
from evilpegs.output import TurnTableRow, console, pluralize, print_json, print_turns
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import format_code
from evilpegs_game.errors import DamagedError, ForeignError, MalformedError
from evilpegs_game.kernels import working_time
from evilpegs_game.optimal.first_guesses import Progress
from evilpegs_game.optimal.proof_log import TITLES, ProofLog
from evilpegs_game.optimal.solve import Objective, Solution, SolveCost, solve_cost
from evilpegs_game.optimal.solve import solve as solve_rules
from evilpegs_game.rules import Rules
from evilpegs_game.trees.adversary import format_adversary
from evilpegs_game.trees.tree import format_tree
from evilpegs_game.trees.worst_case_trees import find_adversary, find_strategy
from evilpegs_protocol.files import ForeignFileError, read_own_file, replace_file

PRINT_INTERVAL: Final = 0.5  # seconds
TRIED_INTERVAL: Final = 5.0  # seconds; a sign of life, in which no bound has changed
SAVE_INTERVAL: Final = 5.0  # seconds; a killed run loses at most this and the work on the guess that it was examining
Solver = Callable[[Rules, Objective, int, ProofLog | None, Callable[[Progress], None]], Solution]


def solve(
    *,
    rules: RulesText = "classic",
    objective: Literal["mean", "worst"] = "mean",
    out: Annotated[str, FILE, Parameter(allow_leading_hyphen=True)] = "-",
    journal: Annotated[Path | None, FILE] = None,
    threads: Annotated[int | None, WHOLE] = None,
    against: Adversary | None = None,
    adversary: Annotated[str | None, FILE] = None,
    dry_run: bool = False,
    as_json: Json = False,
) -> None:
    """Find the best strategy for all codes of the rules and prove that there is no better one.

    Any code may be guessed. The strategy is written as a tree, which `evilpegs certify` checks. Bounds on its total
    number of guesses are shown as they tighten. A journal beside the tree keeps what is proved: the same command, if it
    was interrupted, continues from there. The journal is removed at the end, unless --journal names it.

    Args:
        objective: mean: the fewest guesses for all codes together. worst: the fewest for the worst code, and among
            those strategies the fewest for all codes.
        out: The file for the tree; - for standard output.
        journal: Keep what is proved in this file, and go on from it; by default OUT.journal, and none if the tree goes
            to standard output.
        threads: The number of threads that search; by default one per processor.
        against: Find instead the fewest guesses that are sure to beat this codemaker; against evil, print them too.
        adversary: With --against devil: the file for the devil's replies that fewer guesses do not beat.
        dry_run: Print the estimated cost, and exit.
    """
    if against:
        of_best = {
            "--objective": objective != "mean",
            "--out": out != STANDARD and against == "evil",
            "--journal": journal is not None,
            "--threads": threads is not None,
            "--dry-run": dry_run,
        }
        for option in (option for option, is_given in of_best.items() if is_given):
            raise CommandError(f"{option} is for the best strategy, not for --against; take one of them")
    check_writable(out, TREE)
    if adversary is not None and against != "devil":
        raise CommandError("--adversary is for --against devil; add it")
    thread_count = os.cpu_count() or 1 if threads is None else threads
    if not 1 <= thread_count <= MAX_THREADS:
        raise CommandError(f"--threads must be 1 to {MAX_THREADS}, not {thread_count}")
    parsed = Rules.parse(rules)
    if against:
        _show_against(against, parsed, out, adversary, as_json)
        return
    cost = solve_cost(parsed, thread_count)
    if dry_run:
        if as_json:
            print_json({"rules": str(parsed), "codes": parsed.size, **cost._asdict()})
        else:
            console().print(_cost_line(parsed, cost))
        return
    path = journal or (None if out == STANDARD else Path(f"{out}.journal"))
    file = None if path is None else ProofLogFile(path, parsed, monotonic)
    if file:
        file.save()  # so that an error in writing is reported before the work
    err = console(sys.stderr)
    err.print(_cost_line(parsed, cost))
    start = working_time()
    solution = run_solver(solve_rules, parsed, objective, thread_count, file, err)
    _write(solution, objective, out, working_time() - start, as_json)
    if file and not journal:
        file.remove()


def _cost_line(rules: Rules, cost: SolveCost) -> str:
    firsts = pluralize(cost.first_guesses, "first guess that differs", "first guesses that differ")
    codes, left = pluralize(rules.size, "code"), pluralize(cost.largest_part, "code")
    return f"{rules}: {codes}, {firsts}, {left} at most after one; at most {-(-cost.memory // 1_000_000):,} MB"


def _show_against(against: Adversary, rules: Rules, out: str, adversary: str | None, as_json: bool) -> None:
    if adversary:
        check_writable(adversary, TREE)
    err = console(sys.stderr)
    solver = WorstCase(rules, shared_codes=MAX_DEVIL_CODES) if against == "devil" else None
    least = solve_against(against, rules, TriedProgress(err, rules, monotonic), solver)
    if solver and out != STANDARD:
        err.print(f"{rules}: {pluralize(least.guesses, 'guess is', 'guesses are')} enough; making the tree")
        write_text(out, format_tree(find_strategy(solver, least.guesses)))
    if solver and adversary:
        err.print(f"{rules}: making the replies that beat {pluralize(least.guesses - 1, 'guess', 'guesses')}")
        write_text(adversary, format_adversary(find_adversary(solver, least.guesses - 1)))
    if as_json:
        print_json(least.to_json())
        return
    table = console()
    table.print(f"{against} on {rules} can be beaten with {pluralize(least.guesses, 'guess', 'guesses')} and no fewer")
    if least.turns:
        print_turns(table, (TurnTableRow(format_code(guess), feedback, left) for guess, feedback, left in least.turns))


class TriedProgress:
    """A printer of each number of guesses that is tried, and of the seconds spent on it, every `TRIED_INTERVAL`."""

    def __init__(self, out: Console, rules: Rules, now: Callable[[], float]) -> None:
        self._out, self._rules, self._now = out, rules, now
        self._guesses, self._began_at, self._printed_at = 0, 0.0, 0.0

    def __call__(self, guesses: int) -> None:
        now, tried = self._now(), f"{self._rules}: trying {pluralize(guesses, 'guess', 'guesses')}"
        if guesses != self._guesses:
            self._guesses, self._began_at, self._printed_at = guesses, now, now
            self._out.print(tried)
        elif now - self._printed_at >= TRIED_INTERVAL:
            self._printed_at = now
            self._out.print(f"{tried} for {now - self._began_at:.0f} s")


class BoundsProgress:
    """A printer of the bounds on the guesses of the best strategy, with a line per `PRINT_INTERVAL` at most."""

    def __init__(self, out: Console, rules: Rules, now: Callable[[], float]) -> None:
        self._out, self._rules, self._now, self._printed_at = out, rules, now, now()
        self._printed: Progress | None = None
        self._latest: Progress | None = None

    def __call__(self, bounds: Progress) -> None:
        self._latest = bounds
        if self._now() - self._printed_at >= PRINT_INTERVAL:
            self.print_latest()

    def print_latest(self) -> None:
        self._printed_at = self._now()
        if self._latest and self._latest != self._printed:
            self._printed = self._latest
            self._out.print(f"{self._rules}: {_bounds_text(self._latest)}")


def _bounds_text(bounds: Progress) -> str:
    within = "" if bounds.within is None else f" within {bounds.within} guesses"
    if bounds.lower is None:
        return f"{bounds.within} guesses are not enough for every code"
    if bounds.upper is None:
        return f"at least {bounds.lower:,} guesses in all{within}"
    if bounds.lower >= bounds.upper:
        return f"{bounds.upper:,} guesses in all{within}, proved"
    return f"{bounds.lower:,} to {bounds.upper:,} guesses in all{within}"


class ProofLogFile:
    """The file of the proof log for ``rules``, which begins empty if the file is missing or damaged."""

    def __init__(self, path: Path, rules: Rules, now: Callable[[], float]) -> None:
        self._path, self._now, self._saved_at = path, now, now()
        self.proof_log = _read_proof_log(path, rules)

    def tick(self) -> None:
        if self._now() - self._saved_at >= SAVE_INTERVAL:
            self.save()

    def save(self) -> None:
        try:
            replace_file(self._path, self.proof_log.to_bytes())
        except OSError as error:
            raise _journal_error(self._path, "write", error) from error
        self._saved_at = self._now()

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            self._path.unlink()


def _read_proof_log(path: Path, rules: Rules) -> ProofLog:
    try:
        data = read_own_file(path, *TITLES)
    except ForeignFileError as error:
        raise CommandError(f"{path} is not a journal of evilpegs solve; name another file with --journal") from error
    except (OSError, ValueError) as error:
        raise _journal_error(path, "read", error) from error
    proof_log = _parse_proof_log(path, data) if data else None
    if proof_log and proof_log.rules != rules:
        raise CommandError(f"{path} is a journal of {proof_log.rules}, not of {rules}; name another file")
    return proof_log or ProofLog(rules)


def _parse_proof_log(path: Path, data: bytes) -> ProofLog | None:
    try:
        return ProofLog.from_bytes(data)
    except ForeignError:
        reason = "this is a journal of another version"
    except DamagedError as error:
        reason = f"line {error.line} of the journal is damaged"
    except MalformedError:
        reason = "a line of the journal cannot be read"
    print(f"evilpegs: {path}: {reason}; the proof starts from the beginning", file=sys.stderr)  # noqa: T201
    return None


def _journal_error(path: Path, action: str, error: Exception) -> CommandError:
    return CommandError(f"cannot {action} the journal at {path}: {failure_reason(error)}; name another file")


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
    if out != STANDARD or not as_json:
        write_text(out, format_tree(solution.tree))
    if as_json:
        document = {"rules": str(solution.tree.rules), "objective": objective} | solution.to_json()
        tree = {"tree": document.pop("tree")}
        print_json(document | {"seconds": round(seconds, 6)} | (tree if out == STANDARD else {"out": out}))
        return
    codes = solution.tree.rules.size
    proved = "there is no better tree" if solution.is_proved else f"no tree has under {solution.lower:,}"
    console(sys.stderr if out == STANDARD else None).print(
        f"{solution.tree.rules}: {pluralize(solution.total, 'guess', 'guesses')} for {pluralize(codes, 'code')}, mean "
        f"{solution.total / codes:.6f}, at most {solution.max}; proved in {seconds:.2f} s: {proved}"
    )
