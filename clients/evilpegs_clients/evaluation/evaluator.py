"""The whole of an evaluation: each subject in the way that its cost asks for, with a bar, workers and a journal."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

from evilpegs_clients.evaluation.checkpoint import (
    Journal,
    JournalUnusableError,
    default_journal,
    no_journal,
    opened_journal,
)
from evilpegs_clients.evaluation.cost import Cost
from evilpegs_clients.evaluation.executors import HereExecutor, Workforce, workforce
from evilpegs_clients.evaluation.run import Advance, Sums, run
from evilpegs_clients.evaluation.spec import Subject
from evilpegs_clients.strategies.heuristics import ByCriterion
from evilpegs_clients.strategies.strategy import seeded_choice, with_strategy_name
from evilpegs_clients.strategies.warm_up import SMALL, warm_up
from evilpegs_game.errors import GameError
from evilpegs_game.evaluation.exact import distribution_from
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

HERE: Final = Workforce(HereExecutor(), 1)
STEPS: Final = 500
"""So often the bar moves, at most."""


@dataclass(frozen=True, slots=True)
class Way:
    """How the work is to be done: in processes, or on the cluster of that address, and with a journal in that file."""

    jobs: int = 1
    cluster: str | None = None
    journal: Path | None = None

    def in_units(self, cost: Cost) -> bool:
        """Whether a subject is worth being taken apart and journaled, or that is wanted."""
        return not cost.is_small or self.cluster is not None or self.journal is not None

    def processes(self, cost: Cost) -> int | None:
        """How many processes of this machine play a subject; None on a cluster, which has its own."""
        if not self.in_units(cost):
            return 1
        return self.jobs if self.cluster is None else None

    def journal_of(self, costs: Sequence[Cost]) -> Path | None:
        """The file of the journal, if there is to be one."""
        return (self.journal or default_journal(run_digest(costs))) if any(map(self.in_units, costs)) else None


def run_digest(costs: Sequence[Cost]) -> str:
    """Of all that is evaluated; 64 hexadecimal digits. A journal is of one run."""
    return sha256(" ".join(cost.subject.digest for cost in costs).encode()).hexdigest()


def evaluated(costs: Sequence[Cost], way: Way, err: "Console", bar: "Progress") -> list[tuple[Sums, float]]:
    """Evaluate each subject; return its sums and the seconds it took.

    Notices go to ``err``; ``bar`` shows the progress, unless it is disabled.

    Raises:
        EvaluationError: a journal, a cluster or a worker will not do.
        GameError: a strategy is stuck or does what none may; the message names it.
    """
    found = []
    with ExitStack() as stack:
        journal = stack.enter_context(_journal(costs, way, err))
        is_apart = any(map(way.in_units, costs))
        workers = stack.enter_context(workforce(way.jobs, way.cluster)) if is_apart else HERE
        for place, cost in enumerate(costs):
            warm(cost.subject)
            advance = _advancing(bar, cost.subject, is_named=len(costs) > 1)
            begun = perf_counter()
            with with_strategy_name(cost.subject.strategy):
                if way.in_units(cost):
                    sums = run(cost.subject, f"{place} ", workers, journal, cost.largest, advance)
                else:
                    sums = _at_once(cost, way.jobs, advance)
            found.append((sums, perf_counter() - begun))
    return found


@contextmanager
def _journal(costs: Sequence[Cost], way: Way, err: "Console") -> Iterator[Journal]:
    """The journal that is asked for, which stays; or one where nobody asks, which goes when the run is finished."""
    path = way.journal_of(costs)
    with ExitStack() as stack:
        try:
            journal = stack.enter_context(_opened(path, costs))
        except JournalUnusableError as error:
            if way.journal is not None:
                raise
            err.print(f"{error}; this run keeps none", soft_wrap=True)
            journal, path = no_journal(), None
        try:
            yield journal
        except KeyboardInterrupt:
            if path is not None:
                finished = f"{len(journal.known):,} finished unit{'' if len(journal.known) == 1 else 's'}"
                err.print(f"interrupted; the same command goes on from {finished} in {path}", soft_wrap=True)
            raise
        except Exception as error:  # a strategy that fails will fail again: there is nothing to go on to
            if isinstance(error, GameError) or not journal.known:
                _forget(path, way)
            raise
        _forget(path, way)


def _opened(path: Path | None, costs: Sequence[Cost]) -> AbstractContextManager[Journal]:
    if path is None:
        return nullcontext(no_journal())
    return opened_journal(path, run_digest(costs), "; ".join(_told(cost.subject) for cost in costs))


def _forget(path: Path | None, way: Way) -> None:
    """Remove a journal that nobody has asked for."""
    if path is not None and way.journal is None:
        path.unlink()


def warm(subject: Subject) -> None:
    """Compile the kernels, before any time is taken."""
    strategy = subject.load()
    warm_up(strategy, (), LiveSets())
    if isinstance(strategy, ByCriterion):
        evaluate_heuristic(SMALL, strategy.criterion)


def _at_once(cost: Cost, threads: int, advance: Advance) -> Sums:
    """In one piece, in this process: nothing is as fast where it takes a second."""
    subject, strategy = cost.subject, cost.subject.load()
    if subject.games:
        return run(subject, "", HERE, no_journal(), cost.largest, advance)
    rules, choose = subject.rules, seeded_choice(strategy, subject.seed)
    sums = Sums(subject.opening or choose(Position(rules, (), LiveSets())))
    if isinstance(strategy, ByCriterion):
        solved = evaluate_heuristic(
            rules, strategy.criterion, (), sums.first, subject.candidates_only, threads, advance
        )
    else:
        solved = distribution_from(choose, rules, (), sums.first, lambda _: advance(1))
    sums.solved.update(dict(enumerate(solved, 1)))
    return sums


def _told(subject: Subject) -> str:
    """All that its digest is of, but the versions of the program and of a strategy's file."""
    first = f" from {subject.first}" if subject.first else ""
    only = ", candidates only" if subject.candidates_only else ""
    seed = f", seed {subject.seed}" if subject.seed else ""
    chance = f", {subject.games} games of seed {subject.seed}" if subject.games else seed
    return f"{subject.strategy} on {subject.rules}{first}{only}{chance}"


def _advancing(bar: "Progress", subject: Subject, *, is_named: bool) -> Advance:
    """What moves the bar; seldom enough not to cost anything."""
    if bar.disable:
        return lambda _: None
    total = subject.games or subject.rules.size
    what = f"{'games' if subject.games else 'codes'} of {subject.rules}"
    task = bar.add_task(f"{subject.strategy}: {what}" if is_named else what, total=total)
    finished = shown = 0

    def advance(more: int) -> None:
        nonlocal finished, shown
        finished += more
        if finished - shown >= total / STEPS or finished == total:
            bar.update(task, completed=finished)
            shown = finished

    return advance
