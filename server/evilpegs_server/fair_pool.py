"""Threads beside the event loop that work for all players in a fair order; `fair_queue` says in which."""

import contextlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from threading import Condition, Thread, get_native_id
from typing import Any, Final, Generic, Protocol, TypeVar

from evilpegs_server.fair_queue import FairQueue, Job, Terms

_T = TypeVar("_T")

NICENESS: Final = 10
"""How far the threads stand back behind the event loop's."""


@dataclass(frozen=True, slots=True)
class Worked(Generic[_T]):
    """What a job may return: its value, and what it turned out to cost."""

    value: _T
    cost: int


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
    """Takes jobs."""

    def submit(
        self, player: object, cost: int, work: Callable[[], _T | Worked[_T]], done: Callable[[_T | Exception], None]
    ) -> None:
        """Do ``work`` when it is its turn; ``done`` is called on the event loop with what came of it."""
        ...


@dataclass(frozen=True, slots=True)
class _Content:
    work: Callable[[], Any]
    done: Callable[[Any], None]


class FairPool:
    """Runs jobs on a fixed number of threads: as many as ``terms`` has lanes.

    ``notify`` brings a callback to the event loop, ``clock`` counts seconds. Safe to use from any thread.
    """

    def __init__(
        self, terms: Terms, notify: Callable[..., object], clock: Callable[[], float], name: str = "pool"
    ) -> None:
        self._queue = FairQueue[_Content](terms)
        self._notify = notify
        self._clock = clock
        self._changed = Condition()
        self._closed = False
        self._done = self._work = 0
        self._longest_wait = 0.0
        self._threads = [Thread(target=self._serve, name=f"{name}-{lane}") for lane in range(terms.lanes)]
        for thread in self._threads:
            thread.start()

    def submit(
        self, player: object, cost: int, work: Callable[[], _T | Worked[_T]], done: Callable[[_T | Exception], None]
    ) -> None:
        """Do ``work`` for ``player`` when it is its turn; ``done`` is called on the event loop with what came of it.

        He is charged ``cost``, or what the work says with `Worked` if that is more.
        """
        with self._changed:
            if self._closed:
                message = "the pool is closed"
                raise RuntimeError(message)
            self._queue.push(Job(player, cost, self._clock(), _Content(work, done)))
            self._changed.notify()

    def metrics(self) -> PoolMetrics:
        """The pool at this moment."""
        with self._changed:
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
        """Finish what runs and drop what waits; nothing is left running."""
        with self._changed:
            self._closed = True
            self._queue.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        _step_back()
        while (job := self._next()) is not None:
            outcome, cost = carry_out(job.content.work)
            self._finish(job, max(cost, job.cost))
            with contextlib.suppress(RuntimeError):  # the loop is gone, and with it whoever waited
                self._notify(job.content.done, outcome)

    def _next(self) -> Job[_Content] | None:
        with self._changed:
            while not self._closed:
                now = self._clock()
                job = self._queue.start(now)
                if job is not None:
                    self._longest_wait = max(self._longest_wait, now - job.since)
                    return job
                self._changed.wait()
        return None

    def _finish(self, job: Job[_Content], cost: int) -> None:
        with self._changed:
            self._queue.finish(job, cost, self._clock())
            self._done += 1
            self._work += cost
            self._changed.notify()  # this thread takes one job; its player or its lane may free another


def _step_back() -> None:
    """Let the event loop's thread go first where there are more threads than cores. Only Linux ranks threads."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # not every sandbox lets one ask for less
            os.setpriority(os.PRIO_PROCESS, get_native_id(), min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS))


def carry_out(work: Callable[[], _T | Worked[_T]]) -> tuple[_T | Exception, int]:
    """What ``work`` gives, or the exception it ends with, and what it says that it cost; 0 if it does not say."""
    try:
        outcome = work()
    except Exception as error:  # noqa: BLE001 - whoever asked is told
        return error, 0
    return (outcome.value, outcome.cost) if isinstance(outcome, Worked) else (outcome, 0)
