"""Pools that run the tasks of all players, a limited number at once, in the order that `scheduler` decides.

The cost of a task is measured in units of work; a unit is about 2 nanoseconds of processor time.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from evilpegs_server.work.scheduler import FairScheduler, Job, SchedulerLimits
from evilpegs_server.work.tasks import Task

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class PoolMetrics:
    """The state of a pool of tasks at one moment, and figures since its creation.

    ``waiting`` and ``running`` count tasks, and ``heavy`` counts the running tasks that are heavy, as `SchedulerLimits`
    defines it. ``oldest_wait`` and ``oldest_running`` are the seconds since the oldest waiting task and the oldest
    running task were submitted, or 0 if there is none. ``charged_players`` counts the players whose used work is still
    remembered.

    Since the creation of the pool, ``done`` tasks have ended, their cost was ``work`` in units of about 2 nanoseconds,
    and ``longest_wait`` is the longest time in seconds that a task waited for its start.
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


class Pool(Protocol):
    """The interface of an object that queues the tasks of players and runs them."""

    def submit(self, player: object, cost: int, task: Task[_T], done: Callable[[_T | Exception], None]) -> None:
        """Queue ``task`` for ``player``, and call ``done`` on the event loop with its result or exception when it ends.

        ``player`` is any hashable object that identifies the player. ``cost`` is the estimated cost of the task in
        units of work; a unit is about 2 nanoseconds.
        """
        ...

    def metrics(self) -> PoolMetrics:
        """Return the state of the pool at this moment, and its figures since its creation."""
        ...


class TaskExecutor(Protocol):
    """The interface of an object that runs tasks at once, without a queue."""

    def submit(self, task: Task[_T], done: Callable[[_T | Exception, int], None]) -> None:
        """Start ``task``; when it ends, call ``done`` on the event loop with its result or exception, and its cost.

        The cost is in units of work; a unit is about 2 nanoseconds.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Submission:
    task: Task[Any]
    done: Callable[[Any], None]


class TaskPool:
    """A pool that runs at most ``limits.slots`` tasks at once on ``executor``, and queues all others.

    ``clock`` is a monotonic clock in seconds. Call all methods on the thread of the event loop.
    """

    def __init__(self, limits: SchedulerLimits, executor: TaskExecutor, clock: Callable[[], float]) -> None:
        self._scheduler = FairScheduler[_Submission](limits)
        self._executor = executor
        self._clock = clock
        self._closed = False
        self._done = self._work = 0
        self._longest_wait = 0.0

    def submit(self, player: object, cost: int, task: Task[_T], done: Callable[[_T | Exception], None]) -> None:
        """Queue ``task`` for ``player``, and call ``done`` with its result or exception when it ends.

        ``player`` is any hashable object that identifies the player. ``cost`` is the estimated cost in units of work,
        of about 2 nanoseconds each. When the task ends, the player is charged the estimated or the actual cost,
        whichever is larger. After `close`, ``done`` is called only for tasks that were running.

        Raises:
            RuntimeError: the pool is closed.
        """
        if self._closed:
            message = "the pool is closed"
            raise RuntimeError(message)
        self._scheduler.push(Job(player, cost, self._clock(), _Submission(task, done)))
        self._start_tasks()

    def metrics(self) -> PoolMetrics:
        """Return the state of the pool at this moment."""
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
        """Drop all waiting tasks, without calling their ``done``, and start no more tasks. Running tasks continue."""
        self._closed = True
        self._scheduler.clear()

    def _start_tasks(self) -> None:
        """Start every waiting task that the limits of the pool allow to run now."""
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
