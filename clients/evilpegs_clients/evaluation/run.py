"""A whole evaluation: each strategy is played in one piece by this process, or in units that workers share."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import Progress

from evilpegs_clients.evaluation.cost import (
    NOTICE_SECONDS,
    CostEstimate,
    Now,
    check_memory,
    estimate_cost,
    estimate_time,
)
from evilpegs_clients.evaluation.journal import Journal, JournalUnusableError, default_journal_path, open_journal
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.evaluation.work_units import (
    ChoiceUnit,
    ChosenGuess,
    GamesUnit,
    PlayedGames,
    SolvedCounts,
    SubtreeUnit,
    first_units,
    most_costly,
)
from evilpegs_clients.evaluation.workers import INLINE, Workers, open_workers, play_units
from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.registry import SMALL_RULES, warm_up
from evilpegs_clients.strategies.strategy import Strategy, seeded_choice, with_strategy_name
from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError
from evilpegs_game.evaluation.exact import distribution_from
from evilpegs_game.evaluation.heuristic import evaluate_heuristic, is_plain_evaluation
from evilpegs_game.feedback import all_black
from evilpegs_game.guessing.plain import allow_plain_work
from evilpegs_game.kernels import working_time
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

MAX_UPDATES: Final = 500
LINE_SECONDS: Final = 10.0  # between two lines of progress, which are printed where there is no terminal for a bar

Advance = Callable[[int], None]  # gets the codes, or games, finished since its last call


@dataclass(frozen=True, slots=True)
class ExecutionPlan:
    """The processes that play an evaluation, and its journal, as the user chose them."""

    jobs: int = 1
    cluster: str | None = None  # the address of a Dask scheduler, instead of processes
    journal: Path | None = None  # a default file for long work

    def costs(self, specs: Iterable[StrategySpec]) -> list[CostEstimate]:
        """Estimate the cost of each evaluation; raises TooLargeError if one needs more memory than there is."""
        costs = [estimate_cost(spec, self.jobs) for spec in specs]
        for cost in costs:
            check_memory(cost, self.processes(cost) or 0)
        return costs

    def uses_units(self, cost: CostEstimate) -> bool:
        return not cost.is_small or self.cluster is not None or self.journal is not None

    def processes(self, cost: CostEstimate) -> int | None:
        """Return the processes of this machine that do the work; None if a cluster does it."""
        if not self.uses_units(cost):
            return 1
        return self.jobs if self.cluster is None else None

    def checkpoint_path(self, costs: Sequence[CostEstimate]) -> Path | None:
        if not any(map(self.uses_units, costs)):
            return None
        return self.journal or default_journal_path(_run_digest(costs))


def _run_digest(costs: Sequence[CostEstimate]) -> str:
    # covers everything that the counts of a run depend on
    return sha256(" ".join(cost.spec.digest for cost in costs).encode()).hexdigest()


@dataclass(slots=True)
class Tally:
    first: Code | None = None
    solved: Counter[int] = field(default_factory=Counter)  # codes or games, by guess
    lengths: bytearray = field(default_factory=bytearray)  # the guesses of each simulated game
    worst: list[tuple[int, Code]] = field(default_factory=list)
    new_guesses: int = 0  # in games that this run played itself

    @property
    def distribution(self) -> tuple[int, ...]:
        """Index i is for guess i + 1."""
        return tuple(self.solved[turn] for turn in range(1, max(self.solved) + 1))


def run_evaluation(
    costs: Sequence[CostEstimate], plan: ExecutionPlan, err: Console, progress: Progress, now: Now = working_time
) -> list[tuple[Tally, float]]:
    """Return the counts of each strategy, and their seconds. Raises EvaluationError, or GameError with its name."""
    tallies = []
    allow_plain_work()
    with ExitStack() as stack:
        journal = stack.enter_context(_open_plan_journal(costs, plan, err))
        uses_units = any(map(plan.uses_units, costs))
        workers = stack.enter_context(open_workers(plan.jobs, plan.cluster)) if uses_units else INLINE
        for index, cost in enumerate(costs):
            # before the time is measured
            _compile(cost.spec, plan.uses_units(cost))
            with with_strategy_name(cost.spec.strategy):
                # if units are finished, little may be left to do
                estimate = None if journal.outcomes else estimate_time(cost.spec, plan.processes(cost) or 1, now)
                if estimate is not None and estimate.seconds >= NOTICE_SECONDS:
                    err.print(f"{cost.spec.strategy} on {cost.spec.rules}: {estimate}", soft_wrap=True)
                advance = _make_advance(progress, err, cost.spec, now, with_name=len(costs) > 1)
                start = now()
                if plan.uses_units(cost):
                    tally = tally_units(cost.spec, f"{index} ", workers, journal, cost.unit_size, advance)
                else:
                    tally = _tally_inline(cost, plan.jobs, advance)
            tallies.append((tally, now() - start))
    return tallies


@contextmanager
def _open_plan_journal(costs: Sequence[CostEstimate], plan: ExecutionPlan, err: Console) -> Iterator[Journal]:
    path, journal = plan.checkpoint_path(costs), Journal()
    with ExitStack() as stack:
        if path is not None:
            about = "; ".join(_describe(cost.spec) for cost in costs)
            try:
                journal = stack.enter_context(open_journal(path, _run_digest(costs), about))
            except JournalUnusableError as error:
                if plan.journal is not None:
                    raise
                err.print(f"{error}; this run keeps none", soft_wrap=True)
                path = None
        try:
            yield journal
        except KeyboardInterrupt:
            if path is not None:
                finished = f"{len(journal.outcomes):,} finished unit{'' if len(journal.outcomes) == 1 else 's'}"
                err.print(f"interrupted; the same command goes on from {finished} in {path}", soft_wrap=True)
            raise
        except Exception as error:  # a strategy that fails will fail again, so there is nothing to resume
            if isinstance(error, GameError) or not journal.outcomes:
                _remove_default(path, plan)
            raise
        _remove_default(path, plan)


def _remove_default(path: Path | None, plan: ExecutionPlan) -> None:
    if path is not None and plan.journal is None:
        path.unlink()


def _compile(spec: StrategySpec, uses_units: bool) -> None:
    strategy = spec.load()
    if isinstance(strategy, CriterionStrategy) and not spec.games and not spec.worst:
        if not uses_units and is_plain_evaluation(spec.rules, strategy.criterion, spec.rules.size):
            return
        allow_plain_work(False)
        first = seeded_choice(strategy)(Position(SMALL_RULES, (), LiveSets()))
        evaluate_heuristic(SMALL_RULES, strategy.criterion, (), first)
        # the first use after an installation waits for kernels, so none is compiled that only units and games need
        if not uses_units:
            return
    warm_up(strategy, (), LiveSets())


def tally_units(
    spec: StrategySpec, prefix: str, workers: Workers, journal: Journal, unit_size: int, advance: Advance
) -> Tally:
    """Play all secrets or games in units, except those in the journal under ``prefix``. Raises EvaluationError."""
    tally = Tally(lengths=bytearray(spec.games))
    kept = set(journal.outcomes)
    waiting = deque(first_units(spec, unit_size))
    for unit, outcome in play_units(waiting, prefix, workers, journal):
        match unit, outcome:
            case ChoiceUnit(), ChosenGuess():
                waiting.extend(unit.split(outcome, unit_size))
                turn, solved = len(unit.history) + 1, outcome.parts.get(all_black(spec.rules.pegs), 0)
                if turn == 1:
                    tally.first = outcome.guess
                if solved:
                    tally.solved[turn] += solved
                    tally.worst = most_costly([*tally.worst, (turn, outcome.guess)], spec.worst)
                    advance(solved)
            case SubtreeUnit(), SolvedCounts():
                tally.solved.update(dict(enumerate(outcome.distribution, len(unit.history) + 1)))
                tally.worst = most_costly([*tally.worst, *outcome.worst], spec.worst)
                advance(unit.size)
            case GamesUnit(), PlayedGames():
                tally.solved.update(dict(enumerate(outcome.distribution, 1)))
                tally.lengths[unit.start : unit.stop] = outcome.lengths
                tally.new_guesses += 0 if prefix + unit.key in kept else sum(outcome.lengths)
                advance(unit.size)
    return tally


def _tally_inline(cost: CostEstimate, threads: int, advance: Advance) -> Tally:
    spec, strategy = cost.spec, cost.spec.load()
    if spec.games or spec.worst:
        return tally_units(spec, "", INLINE, Journal(), cost.unit_size, advance)
    # one piece is the fastest way for work that takes about a second
    first, solved = play_all_secrets(strategy, spec.rules, spec.opening, spec.seed, threads, advance)
    return Tally(first, Counter(dict(enumerate(solved, 1))))


def play_all_secrets(
    strategy: Strategy,
    rules: Rules,
    first: Code | None = None,
    seed: int = 0,
    threads: int = 1,
    advance: Advance = lambda _: None,
) -> tuple[Code, tuple[int, ...]]:
    """Return the first guess, and the secrets solved at each guess. Raises the errors of the strategy."""
    choose = seeded_choice(strategy, seed)
    opening = choose(Position(rules, (), LiveSets())) if first is None else first
    if isinstance(strategy, CriterionStrategy):
        only = strategy.candidates_only
        return opening, evaluate_heuristic(rules, strategy.criterion, (), opening, only, threads, advance)
    return opening, distribution_from(choose, rules, (), opening, lambda _: advance(1))


def _describe(spec: StrategySpec) -> str:
    first = f" from {spec.first}" if spec.first else ""
    only = ", candidates only" if spec.candidates_only else ""
    seed = f", seed {spec.seed}" if spec.seed else ""
    chance = f", {spec.games} games of seed {spec.seed}" if spec.games else seed
    return f"{spec.strategy} on {spec.rules}{first}{only}{chance}"


def _make_advance(progress: Progress, err: Console, spec: StrategySpec, now: Now, *, with_name: bool) -> Advance:
    total = spec.games or spec.rules.size
    what = f"{'games' if spec.games else 'codes'} of {spec.rules}"
    label = f"{spec.strategy}: {what}" if with_name else what
    bar = None if progress.disable else progress.add_task(label, total=total)
    finished, shown, shown_at = 0, 0, now()

    def advance(more: int) -> None:
        nonlocal finished, shown, shown_at
        finished += more
        if bar is None:
            if now() - shown_at >= LINE_SECONDS:
                shown_at = now()
                err.print(f"{spec.strategy}: {finished:,} of {total:,} {what}", soft_wrap=True)
        elif finished - shown >= total / MAX_UPDATES or finished == total:
            shown = finished
            progress.update(bar, completed=finished)

    return advance
