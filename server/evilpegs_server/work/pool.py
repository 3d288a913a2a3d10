"""Pools that run the tasks of all players, a limited number at once, in the order that `scheduler` decides.

Costs are in units of work of about 2 nanoseconds of processor time.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from evilpegs_server.work.scheduler import FairScheduler, Job, SchedulerLimits
from evilpegs_server.work.tasks import Task
from evilpegs_server.work.worker_process import WorkerProcess

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class PoolMetrics:
    """The state of a pool at one moment, and its figures since its creation: ``done``, ``work`` and ``longest_wait``.

    ``oldest_wait`` and ``oldest_running`` are the seconds since the oldest waiting and the oldest running task were
    submitted. ``charged_players`` counts the players whose used work is still remembered.
    """

    waiting: int
    oldest_wait: float
    oldest_running: float
    running: int
    heavy: int
    done: int
    work: int
    longest_wait: float
    charged_players: int


@dataclass(frozen=True, slots=True)
class _Submission:
    task: Task[Any]
    done: Callable[[Any], None]


class TaskPool:
    """A pool that runs at most ``limits.slots`` tasks at once; call all methods on the thread of the event loop."""

    def __init__(self, limits: SchedulerLimits, executor: WorkerProcess, clock: Callable[[], float]) -> None:
        self._scheduler = FairScheduler[_Submission](limits)
        self._executor = executor
        self._clock = clock
        self._closed = False
        self._done = self._work = 0
        self._longest_wait = 0.0

    def submit(self, player: object, cost: int, task: Task[_T], done: Callable[[_T | Exception], None]) -> None:
        """Queue ``task`` for a hashable ``player``, and call ``done`` on the event loop when it ends.

        The player is charged the estimated or the actual cost, whichever is larger.
        """
        if self._closed:
            raise RuntimeError("the pool is closed")
        self._scheduler.push(Job(player, cost, self._clock(), _Submission(task, done)))
        self._start_tasks()

    async def run(self, player: object, cost: int, task: Task[_T]) -> _T:
        """Return the result of a task that is submitted as by `submit`."""
        result: asyncio.Future[_T | Exception] = asyncio.get_running_loop().create_future()
        self.submit(player, cost, task, lambda outcome: None if result.done() else result.set_result(outcome))
        outcome = await result
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def metrics(self) -> PoolMetrics:
        oldest, running, now = self._scheduler.oldest, self._scheduler.oldest_running, self._clock()
        return PoolMetrics(
            waiting=len(self._scheduler),
            oldest_wait=0.0 if oldest is None else now - oldest,
            oldest_running=0.0 if running is None else now - running,
            running=self._scheduler.running,
            heavy=self._scheduler.heavy,
            done=self._done,
            work=self._work,
            longest_wait=self._longest_wait,
            charged_players=self._scheduler.charged_players,
        )

    def close(self) -> None:
        """Drop all waiting tasks without calling their ``done``; running tasks continue."""
        self._closed = True
        self._scheduler.clear()

    def _start_tasks(self) -> None:
        now = self._clock()
        while (job := self._scheduler.start(now)) is not None:
            self._longest_wait = max(self._longest_wait, now - job.waiting_since)
            self._executor.submit(job.content.task, partial(self._finish, job))

    def _finish(self, job: Job[_Submission], outcome: object, cost: int) -> None:
        cost = max(cost, job.cost)
        self._scheduler.finish(job, cost, self._clock())
        self._done += 1
        self._work += cost
        job.content.done(outcome)
        self._start_tasks()
