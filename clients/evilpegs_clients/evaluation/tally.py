"""The counts of one strategy: workers play its tasks, a checkpoint keeps the outcomes, and these are added up."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from evilpegs_clients.errors import EvaluationError
from evilpegs_clients.evaluation.checkpoint import Checkpoint
from evilpegs_clients.evaluation.executors import Workers
from evilpegs_clients.evaluation.outcomes import (
    ChosenGuess,
    PlayedGames,
    SolvedCounts,
    TaskOutcome,
    most_costly,
    parse_outcome,
)
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.evaluation.tasks import ChoiceTask, GamesTask, SubtreeTask, Task, play
from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError
from evilpegs_game.feedback import all_black
from evilpegs_game.history import History, Turn

OUTCOME_TYPES: Final[Mapping[type[Task], type[TaskOutcome]]] = MappingProxyType(
    {ChoiceTask: ChosenGuess, SubtreeTask: SolvedCounts, GamesTask: PlayedGames}
)

Advance = Callable[[int], None]
"""Gets the codes, or games, finished since its last call."""


@dataclass(slots=True)
class Tally:
    """The counts of an evaluation so far; ``solved[i]`` codes, or games, were solved at guess i.

    ``lengths`` has the guesses of each simulated game, one byte per game. ``new_guesses`` are those in games that this
    run played itself.
    """

    first: Code | None = None
    solved: Counter[int] = field(default_factory=Counter)
    lengths: bytearray = field(default_factory=bytearray)
    worst: list[tuple[int, Code]] = field(default_factory=list)
    new_guesses: int = 0

    @property
    def distribution(self) -> tuple[int, ...]:
        """Index i is for guess i + 1."""
        return tuple(self.solved[turn] for turn in range(1, max(self.solved) + 1))


def tally_tasks(
    spec: StrategySpec, prefix: str, workers: Workers, checkpoint: Checkpoint, task_size: int, advance: Advance
) -> Tally:
    """Play all secrets or games of ``spec`` in tasks of at most ``task_size``, except those in the checkpoint.

    The checkpoint has each outcome under ``prefix`` and the key of its task. The counts do not depend on the number of
    workers or the order in which tasks end. Raises EvaluationError.
    """
    tally = Tally(lengths=bytearray(spec.games))
    kept = set(checkpoint.outcomes)
    waiting = deque(_games_tasks(spec, task_size) if spec.games else _tasks_below(spec, (), spec.rules.size, task_size))
    for task, outcome in _play_all(waiting, prefix, workers, checkpoint):
        if isinstance(outcome, ChosenGuess):
            waiting.extend(_split(task, outcome, tally, task_size, advance))
            continue
        turns = len(task.history) if isinstance(task, SubtreeTask) else 0
        tally.solved.update(dict(enumerate(outcome.distribution, turns + 1)))
        if isinstance(task, GamesTask) and isinstance(outcome, PlayedGames):
            tally.lengths[task.start : task.stop] = outcome.lengths
            tally.new_guesses += 0 if prefix + task.key in kept else sum(outcome.lengths)
        elif isinstance(outcome, SolvedCounts):
            tally.worst = most_costly([*tally.worst, *outcome.worst], spec.worst)
        advance(task.size)
    return tally


def _games_tasks(spec: StrategySpec, task_size: int) -> Iterator[Task]:
    for start in range(0, spec.games, task_size):
        yield GamesTask(spec, start, min(start + task_size, spec.games))


def _tasks_below(spec: StrategySpec, history: History, size: int, task_size: int) -> Iterator[Task]:
    if size > task_size or not history:
        yield ChoiceTask(spec, history, size)
    else:
        yield SubtreeTask(spec, history, size)


def _split(task: Task, chosen: ChosenGuess, tally: Tally, task_size: int, advance: Advance) -> Iterator[Task]:
    assert isinstance(task, ChoiceTask)  # noqa: S101 - only a ChoiceTask has this outcome
    if not task.history:
        tally.first = chosen.guess
    end = all_black(task.spec.rules.pegs)
    # largest first, so that no long task starts last
    for feedback, size in sorted(chosen.parts.items(), key=lambda part: -part[1]):
        history = (*task.history, Turn(chosen.guess, feedback))
        if feedback == end:
            tally.solved[len(task.history) + 1] += size
            tally.worst = most_costly([*tally.worst, (len(task.history) + 1, chosen.guess)], task.spec.worst)
            advance(size)
        elif size == task.size:  # the guess gave no information: one walk finds out whether the strategy is stuck
            yield SubtreeTask(task.spec, history, size)
        else:
            yield from _tasks_below(task.spec, history, size, task_size)


def _play_all(
    waiting: deque[Task], prefix: str, workers: Workers, checkpoint: Checkpoint
) -> Iterator[tuple[Task, TaskOutcome]]:
    running: dict[Future[TaskOutcome], Task] = {}
    # the caller may add to ``waiting`` after each outcome
    while waiting or running:
        while waiting and len(running) < workers.capacity:
            task = waiting.popleft()
            if prefix + task.key in checkpoint.outcomes:
                yield task, _recall(task, prefix, checkpoint)
            else:
                running[_submit(task, workers)] = task
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            task = running.pop(future)
            with _translate_worker_errors():
                outcome = _check(task, future.result())
            checkpoint.add(prefix + task.key, outcome.to_json())
            yield task, outcome


def _submit(task: Task, workers: Workers) -> Future[TaskOutcome]:
    with _translate_worker_errors():
        return workers.executor.submit(play, task)


@contextmanager
def _translate_worker_errors() -> Iterator[None]:
    try:
        yield
    except BrokenExecutor as error:
        raise EvaluationError(
            "a worker process was lost, perhaps for want of memory; start again, with fewer --jobs if need be"
        ) from error
    except CancelledError as error:
        raise EvaluationError("the cluster was lost; start again when it is back") from error
    except Exception as error:
        if type(error).__name__ != "KilledWorker":  # an error of distributed, which need not be installed
            raise
        raise EvaluationError(
            "the cluster lost too many workers with one unit, perhaps for want of memory; start again"
        ) from error


def _recall(task: Task, prefix: str, checkpoint: Checkpoint) -> TaskOutcome:
    try:
        outcome = parse_outcome(checkpoint.outcomes[prefix + task.key], task.spec.rules)
    except (GameError, KeyError, TypeError, ValueError) as error:
        raise _impossible(task) from error
    return _check(task, outcome)


def _check(task: Task, outcome: TaskOutcome) -> TaskOutcome:
    numbers = outcome.parts.values() if isinstance(outcome, ChosenGuess) else outcome.distribution
    is_of_kind = isinstance(outcome, OUTCOME_TYPES[type(task)])
    if not is_of_kind or sum(numbers) != task.size or min(numbers, default=0) < 0:
        raise _impossible(task)
    return outcome


def _impossible(task: Task) -> EvaluationError:
    return EvaluationError(
        f"the journal or a worker gives an impossible result of the unit {task.key!r}; "
        f"delete the journal and start again"
    )
