"""The order in which jobs of many players run. The scheduler has no threads and no clock.

Players within their budget of work are equal and take turns. Players over their budget are scheduled last, the one who
has used the least work first. Used work is forgotten after a fixed time, the window. A player who has waited for a
window is therefore equal again, and precedes everybody who came later.

The scheduler does not limit the number of waiting jobs: a match has at most one reply outstanding, and a player has a
limited number of matches. Times are in seconds on any clock that never goes back, and work is in units of about 2
nanoseconds of processor time.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

_T = TypeVar("_T")

# per window; used work is forgotten after 15 to 16 ticks
_TICKS: Final = 16


@dataclass(frozen=True, slots=True)
class SchedulerLimits:
    """The work of a player in ``window`` seconds, and the slots; a job of more than ``cheap`` units is heavy."""

    budget: int
    window: float
    cheap: int
    # apart, so that a cheap job never waits for a heavy job of another player
    heavy_slots: int
    cheap_slots: int


ONE_AT_A_TIME: Final = SchedulerLimits(budget=0, window=60.0, cheap=0, heavy_slots=1, cheap_slots=0)


@dataclass(frozen=True, slots=True)
class Job(Generic[_T]):
    """A piece of work for a player, any hashable object, with its estimated ``cost``."""

    player: object
    cost: int
    waiting_since: float
    content: _T


@dataclass(frozen=True, slots=True)
class PoolMetrics:
    """The jobs at one moment, their ages in seconds, and ``done``, ``work`` and ``longest_wait`` since the start."""

    waiting: int
    oldest_wait: float
    oldest_running: float
    running: int
    heavy: int
    done: int
    work: int
    longest_wait: float
    charged_players: int  # whose used work is still remembered


class FairScheduler(Generic[_T]):
    """The waiting and running jobs of all players, at most one running per player, and the choice of the next job."""

    def __init__(self, limits: SchedulerLimits) -> None:
        self._limits = limits
        self._waiting: dict[object, deque[Job[_T]]] = {}  # the player whose turn is next comes first
        self._running: dict[object, Job[_T]] = {}
        # work by player and tick; the player who was charged last is at the end
        self._charges: OrderedDict[object, Counter[int]] = OrderedDict()
        self._done = self._work = 0
        self._longest_wait = 0.0

    def push(self, job: Job[_T]) -> None:
        self._waiting.setdefault(job.player, deque()).append(job)

    def start(self, now: float) -> Job[_T] | None:
        """Remove and return the next job that may run now; it counts as running until `finish`."""
        tick, heavy = self._tick(now), self._heavy
        is_heavy_free = heavy < self._limits.heavy_slots
        is_cheap_free = len(self._running) - heavy < self._limits.cheap_slots
        best, smallest_excess = None, 0
        for player, jobs in self._waiting.items():
            if player in self._running or not (is_heavy_free if self._is_heavy(jobs[0]) else is_cheap_free):
                continue
            excess = max(0, self._used(player, tick) - self._limits.budget)
            if best is None or excess < smallest_excess:
                best, smallest_excess = jobs, excess
            if not smallest_excess:
                break
        if best is None:
            return None
        job = best.popleft()
        del self._waiting[job.player]
        if best:  # the player's next job waits behind everybody
            self._waiting[job.player] = best
        self._running[job.player] = job
        self._longest_wait = max(self._longest_wait, now - job.waiting_since)
        return job

    def finish(self, job: Job[_T], cost: int, now: float) -> None:
        """End a running job, and charge its player ``cost``, or the estimated cost if that is larger."""
        del self._running[job.player]
        tick, cost = self._tick(now), max(cost, job.cost)
        self._done += 1
        self._work += cost
        charges = self._charges.setdefault(job.player, Counter())
        charges[tick] += cost
        self._charges.move_to_end(job.player)
        if len(charges) > _TICKS:  # the oldest is forgotten already
            del charges[min(charges)]
        while self._charges and not self._used(next(iter(self._charges)), tick):
            self._charges.popitem(last=False)

    def drop(self, job: Job[_T]) -> None:
        """End a job that was started but did not run."""
        del self._running[job.player]

    def withdraw(self, is_unwanted: Callable[[_T], bool]) -> list[_T]:
        """Remove the waiting jobs whose contents are unwanted, and return these contents."""
        withdrawn = []
        for player, jobs in list(self._waiting.items()):
            for job in [job for job in jobs if is_unwanted(job.content)]:
                jobs.remove(job)
                withdrawn.append(job.content)
            if not jobs:
                del self._waiting[player]
        return withdrawn

    def clear(self) -> None:
        """Remove all waiting jobs; running jobs continue."""
        self._waiting.clear()

    def metrics(self, now: float) -> PoolMetrics:
        waiting = [job for jobs in self._waiting.values() for job in jobs]
        return PoolMetrics(
            waiting=len(waiting),
            oldest_wait=_age_of_oldest(waiting, now),
            oldest_running=_age_of_oldest(self._running.values(), now),
            running=len(self._running),
            heavy=self._heavy,
            done=self._done,
            work=self._work,
            longest_wait=self._longest_wait,
            charged_players=len(self._charges),
        )

    @property
    def _heavy(self) -> int:
        return sum(map(self._is_heavy, self._running.values()))

    def _is_heavy(self, job: Job[_T]) -> bool:
        return job.cost > self._limits.cheap

    def _used(self, player: object, tick: int) -> int:
        charges = self._charges.get(player, Counter())
        return sum(cost for when, cost in charges.items() if when > tick - _TICKS)

    def _tick(self, now: float) -> int:
        return int(now * _TICKS / self._limits.window)


def _age_of_oldest(jobs: Iterable[Job[Any]], now: float) -> float:
    return max((now - job.waiting_since for job in jobs), default=0.0)
