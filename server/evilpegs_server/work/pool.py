"""Pools that run the tasks of all players, in the order and the units of work of `scheduler`."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

from evilpegs_server.work.scheduler import FairScheduler, Job, PoolMetrics, SchedulerLimits
from evilpegs_server.work.tasks import Task
from evilpegs_server.work.worker_process import WorkerProcess, result_of

_T = TypeVar("_T")
_IsWanted = Callable[[], bool]
_Submission = tuple[Task[Any], Callable[[Any], None], _IsWanted]
_ALWAYS: Final[_IsWanted] = lambda: True  # noqa: E731
_UNWANTED: Final = "it was given up because nobody waited for it; try again soon"


class UnwantedError(Exception):
    """The error of a task that nobody wanted any more when its turn came."""


class TaskPool:
    """A pool that runs its tasks in a worker process; call all methods on the thread of the event loop."""

    def __init__(self, limits: SchedulerLimits, executor: WorkerProcess, clock: Callable[[], float]) -> None:
        self._scheduler = FairScheduler[_Submission](limits)
        self._executor = executor
        self.clock = clock
        self._closed = False

    def submit(
        self,
        player: object,
        cost: int,
        task: Task[_T],
        done: Callable[[_T | Exception], None],
        is_wanted: _IsWanted = _ALWAYS,
    ) -> None:
        """Queue ``task``, then call ``done`` on the event loop; the player pays the larger of both costs.

        When the task's turn comes and it is not wanted, ``done`` is called with an `UnwantedError` instead.
        """
        if self._closed:
            raise RuntimeError("the pool is closed")
        self._scheduler.push(Job(player, cost, self.clock(), (task, done, is_wanted)))
        self._start_tasks()

    async def run(self, player: object, cost: int, task: Task[_T], is_wanted: _IsWanted = _ALWAYS) -> _T:
        """Return the result of ``task``, queued like `submit`, or raise its error."""
        result: _T = await result_of(lambda done: self.submit(player, cost, task, done, is_wanted))
        return result

    def metrics(self) -> PoolMetrics:
        return self._scheduler.metrics(self.clock())

    def close(self) -> None:
        """Drop all waiting tasks without calling their ``done``; running tasks continue."""
        self._closed = True
        self._scheduler.clear()

    def drop_unwanted(self) -> None:
        """End the waiting tasks that are not wanted any more, as if their turn had come."""
        for _, done, _ in self._scheduler.withdraw(lambda submission: not submission[2]()):
            done(UnwantedError(_UNWANTED))

    def _start_tasks(self) -> None:
        while (job := self._scheduler.start(self.clock())) is not None:
            task, done, is_wanted = job.content
            if is_wanted():
                self._executor.submit(task, partial(self._finish, job, done))
            else:
                self._scheduler.drop(job)
                done(UnwantedError(_UNWANTED))

    def _finish(self, job: Job[_Submission], done: Callable[[Any], None], outcome: object, cost: int) -> None:
        self._scheduler.finish(job, cost, self.clock())
        done(outcome)
        self._start_tasks()
