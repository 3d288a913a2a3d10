"""A whole evaluation: each strategy is played in one piece by this process, or in tasks that workers share."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from time import perf_counter
from typing import Final

from rich.console import Console
from rich.progress import Progress

from evilpegs_clients.evaluation.checkpoint import (
    Checkpoint,
    CheckpointUnusableError,
    memory_checkpoint,
    open_checkpoint,
)
from evilpegs_clients.evaluation.cost import CostEstimate
from evilpegs_clients.evaluation.estimate import Now, estimate_time
from evilpegs_clients.evaluation.executors import InlineExecutor, Workers, open_workers
from evilpegs_clients.evaluation.plan import ExecutionPlan, run_digest
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.evaluation.tally import Advance, Tally, tally_tasks
from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.strategy import seeded_choice, with_strategy_name
from evilpegs_clients.strategies.warm_up import SMALL_RULES, warm_up
from evilpegs_game.errors import GameError
from evilpegs_game.evaluation.exact import distribution_from
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position

INLINE: Final = Workers(InlineExecutor(), 1)
MAX_UPDATES: Final = 500
LINE_SECONDS: Final = 10.0
"""Between two lines of progress, which are printed where there is no terminal for a bar."""


def run_evaluation(
    costs: Sequence[CostEstimate], plan: ExecutionPlan, err: Console, progress: Progress, now: Now = perf_counter
) -> list[tuple[Tally, float]]:
    """Evaluate each strategy; return its counts, and the seconds that they took.

    A disabled ``progress`` is replaced by lines on ``err``. Raises EvaluationError, or GameError with the name of the
    strategy that is at fault.
    """
    tallies = []
    with ExitStack() as stack:
        checkpoint = stack.enter_context(_open_plan_checkpoint(costs, plan, err))
        uses_tasks = any(map(plan.uses_tasks, costs))
        workers = stack.enter_context(open_workers(plan.jobs, plan.cluster)) if uses_tasks else INLINE
        for index, cost in enumerate(costs):
            # before the time is measured
            _compile(cost.spec, plan.uses_tasks(cost))
            with with_strategy_name(cost.spec.strategy):
                if not checkpoint.outcomes:  # otherwise little may be left to do
                    _announce(cost.spec, plan.processes(cost) or 1, err, now)
                advance = _make_advance(progress, err, cost.spec, now, with_name=len(costs) > 1)
                start = now()
                if plan.uses_tasks(cost):
                    tally = tally_tasks(cost.spec, f"{index} ", workers, checkpoint, cost.task_size, advance)
                else:
                    tally = _tally_inline(cost, plan.jobs, advance)
            tallies.append((tally, now() - start))
    return tallies


def _announce(spec: StrategySpec, processes: int, err: Console, now: Now) -> None:
    estimate = estimate_time(spec, processes, now)
    if estimate is not None and estimate.is_long:
        err.print(f"{spec.strategy} on {spec.rules}: {estimate}", soft_wrap=True)


@contextmanager
def _open_plan_checkpoint(costs: Sequence[CostEstimate], plan: ExecutionPlan, err: Console) -> Iterator[Checkpoint]:
    path = plan.checkpoint_path(costs)
    with ExitStack() as stack:
        try:
            checkpoint = stack.enter_context(_open_path(path, costs))
        except CheckpointUnusableError as error:
            if plan.checkpoint is not None:
                raise
            err.print(f"{error}; this run keeps none", soft_wrap=True)
            checkpoint, path = memory_checkpoint(), None
        try:
            yield checkpoint
        except KeyboardInterrupt:
            if path is not None:
                finished = f"{len(checkpoint.outcomes):,} finished unit{'' if len(checkpoint.outcomes) == 1 else 's'}"
                err.print(f"interrupted; the same command goes on from {finished} in {path}", soft_wrap=True)
            raise
        except Exception as error:  # a strategy that fails will fail again, so there is nothing to resume
            if isinstance(error, GameError) or not checkpoint.outcomes:
                _remove_default(path, plan)
            raise
        _remove_default(path, plan)


def _open_path(path: Path | None, costs: Sequence[CostEstimate]) -> AbstractContextManager[Checkpoint]:
    if path is None:
        return nullcontext(memory_checkpoint())
    return open_checkpoint(path, run_digest(costs), "; ".join(_describe(cost.spec) for cost in costs))


def _remove_default(path: Path | None, plan: ExecutionPlan) -> None:
    if path is not None and plan.checkpoint is None:
        path.unlink()


def _compile(spec: StrategySpec, uses_tasks: bool) -> None:
    strategy = spec.load()
    if isinstance(strategy, CriterionStrategy) and not spec.games and not spec.worst:
        first = seeded_choice(strategy)(Position(SMALL_RULES, (), LiveSets()))
        evaluate_heuristic(SMALL_RULES, strategy.criterion, (), first)
        # the first use after an installation waits for kernels, so none is compiled that only tasks and games need
        if not uses_tasks:
            return
    warm_up(strategy, (), LiveSets())


def _tally_inline(cost: CostEstimate, threads: int, advance: Advance) -> Tally:
    spec, strategy = cost.spec, cost.spec.load()
    if spec.games or spec.worst:
        return tally_tasks(spec, "", INLINE, memory_checkpoint(), cost.task_size, advance)
    # one piece is the fastest way for work that takes about a second
    rules, choose = spec.rules, seeded_choice(strategy, spec.seed)
    tally = Tally(spec.opening or choose(Position(rules, (), LiveSets())))
    if isinstance(strategy, CriterionStrategy):
        solved = evaluate_heuristic(rules, strategy.criterion, (), tally.first, spec.candidates_only, threads, advance)
    else:
        solved = distribution_from(choose, rules, (), tally.first, lambda _: advance(1))
    tally.solved.update(dict(enumerate(solved, 1)))
    return tally


def _describe(spec: StrategySpec) -> str:
    first = f" from {spec.first}" if spec.first else ""
    only = ", candidates only" if spec.candidates_only else ""
    seed = f", seed {spec.seed}" if spec.seed else ""
    chance = f", {spec.games} games of seed {spec.seed}" if spec.games else seed
    return f"{spec.strategy} on {spec.rules}{first}{only}{chance}"


def _make_advance(progress: Progress, err: Console, spec: StrategySpec, now: Now, *, with_name: bool) -> Advance:
    total = spec.games or spec.rules.size
    what = f"{'games' if spec.games else 'codes'} of {spec.rules}"
    if progress.disable:
        return _make_line_printer(f"{spec.strategy}: {{:,}} of {total:,} {what}", err, now)
    bar = progress.add_task(f"{spec.strategy}: {what}" if with_name else what, total=total)
    finished = shown = 0

    def advance(more: int) -> None:
        nonlocal finished, shown
        finished += more
        if finished - shown >= total / MAX_UPDATES or finished == total:
            progress.update(bar, completed=finished)
            shown = finished

    return advance


def _make_line_printer(text: str, err: Console, now: Now) -> Advance:
    finished, printed_at = 0, now()

    def advance(more: int) -> None:
        nonlocal finished, printed_at
        finished += more
        if now() - printed_at >= LINE_SECONDS:
            printed_at = now()
            err.print(text.format(finished), soft_wrap=True)

    return advance
