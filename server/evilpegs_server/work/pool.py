"""Pools that run the tasks of all players, in the order and the units of work of `scheduler`."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from evilpegs_server.work.scheduler import FairScheduler, Job, PoolMetrics, SchedulerLimits
from evilpegs_server.work.tasks import Task
from evilpegs_server.work.worker_process import WorkerProcess, result_of

_T = TypeVar("_T")
_Submission = tuple[Task[Any], Callable[[Any], None]]


class TaskPool:
    """A pool that runs its tasks in a worker process; call all methods on the thread of the event loop."""

    def __init__(self, limits: SchedulerLimits, executor: WorkerProcess, clock: Callable[[], float]) -> None:
        self._scheduler = FairScheduler[_Submission](limits)
        self._executor = executor
        self._clock = clock
        self._closed = False

    def submit(self, player: object, cost: int, task: Task[_T], done: Callable[[_T | Exception], None]) -> None:
        """Queue ``task``, then call ``done`` on the event loop; the player pays the larger of both costs."""
        if self._closed:
            raise RuntimeError("the pool is closed")
        self._scheduler.push(Job(player, cost, self._clock(), (task, done)))
        self._start_tasks()

    async def run(self, player: object, cost: int, task: Task[_T]) -> _T:
        result: _T = await result_of(partial(self.submit, player, cost, task))
        return result

    def metrics(self) -> PoolMetrics:
        return self._scheduler.metrics(self._clock())

    def close(self) -> None:
        """Drop all waiting tasks without calling their ``done``; running tasks continue."""
        self._closed = True
        self._scheduler.clear()

    def _start_tasks(self) -> None:
        while (job := self._scheduler.start(self._clock())) is not None:
            task, done = job.content
            self._executor.submit(task, partial(self._finish, job, done))

    def _finish(self, job: Job[_Submission], done: Callable[[Any], None], outcome: object, cost: int) -> None:
        self._scheduler.finish(job, cost, self._clock())
        done(outcome)
        self._start_tasks()
