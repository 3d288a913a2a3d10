"""Work of all players in a fair order, a bounded number of tasks at once; `fair_queue` says in which order."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from evilpegs_server.work.scheduler import FairQueue, Job, Terms
from evilpegs_server.work.tasks import Task

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class PoolMetrics:
    """A pool at one moment, and what it has done so far. Times in seconds, work in units."""

    waiting: int
    oldest_wait: float
    running: int
    heavy: int
    done: int
    work: int
    longest_wait: float


class Pool(Protocol):
    """Takes tasks."""

    def submit(self, player: object, cost: int, task: Task[_T], done: Callable[[_T | Exception], None]) -> None:
        """Do ``task`` when it is its turn; ``done`` is called on the event loop with what came of it."""
        ...


class Crew(Protocol):
    """Does tasks, as many at once as it is given."""

    def begin(self, task: Task[_T], done: Callable[[_T | Exception, int], None]) -> None:
        """Begin ``task``; ``done`` is called later on the event loop with what came of it, and what that cost."""
        ...


@dataclass(frozen=True, slots=True)
class _Content:
    task: Task[Any]
    done: Callable[[Any], None]


class FairPool:
    """Has a ``crew`` do tasks, never more at once than ``terms`` has lanes. ``clock`` counts seconds.

    Everything happens on the event loop's thread.
    """

    def __init__(self, terms: Terms, crew: Crew, clock: Callable[[], float]) -> None:
        self._queue = FairQueue[_Content](terms)
        self._crew = crew
        self._clock = clock
        self._closed = False
        self._done = self._work = 0
        self._longest_wait = 0.0

    def submit(self, player: object, cost: int, task: Task[_T], done: Callable[[_T | Exception], None]) -> None:
        """Do ``task`` for ``player`` when it is its turn; ``done`` is called with what came of it.

        He is charged ``cost``, or what the task turns out to cost if that is more.
        """
        if self._closed:
            message = "the pool is closed"
            raise RuntimeError(message)
        self._queue.push(Job(player, cost, self._clock(), _Content(task, done)))
        self._begin()

    def metrics(self) -> PoolMetrics:
        """The pool at this moment."""
        oldest, now = self._queue.oldest, self._clock()
        return PoolMetrics(
            waiting=len(self._queue),
            oldest_wait=0.0 if oldest is None else now - oldest,
            running=self._queue.running,
            heavy=self._queue.heavy,
            done=self._done,
            work=self._work,
            longest_wait=self._longest_wait,
        )

    def close(self) -> None:
        """Drop what waits, and begin nothing more."""
        self._closed = True
        self._queue.clear()

    def _begin(self) -> None:
        """Begin whatever has a lane."""
        now = self._clock()
        while (job := self._queue.start(now)) is not None:
            self._longest_wait = max(self._longest_wait, now - job.since)
            self._crew.begin(job.content.task, partial(self._finish, job))

    def _finish(self, job: Job[_Content], outcome: object, cost: int) -> None:
        cost = max(cost, job.cost)
        self._queue.finish(job, cost, self._clock())
        self._done += 1
        self._work += cost
        job.content.done(outcome)
        self._begin()
