"""The order in which jobs of many players run. The scheduler has no threads and no clock.

Players within their budget of work are equal and take turns. Players over their budget are scheduled last, the one who
has used the least work first. Used work is forgotten after a fixed time, the window. A player who has waited for a
window is therefore equal again, and precedes everybody who came later.

The scheduler does not limit the number of waiting jobs: a match has at most one reply outstanding, and a player has a
limited number of matches. Times are in seconds on any clock that never goes back, and work is in units of about 2
nanoseconds of processor time.
"""

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

_T = TypeVar("_T")

# per window; used work is forgotten after 15 to 16 ticks
_TICKS: Final = 16


@dataclass(frozen=True, slots=True)
class SchedulerLimits:
    """The limits of a scheduler: each player has a ``budget`` of units of work per ``window`` seconds.

    A job of more than ``cheap`` units is heavy. Heavy and cheap jobs have slots of their own, so a cheap job never
    waits for a heavy job of another player.
    """

    budget: int
    window: float
    cheap: int
    heavy_slots: int
    cheap_slots: int

    @property
    def slots(self) -> int:
        return self.heavy_slots + self.cheap_slots


@dataclass(frozen=True, slots=True)
class Job(Generic[_T]):
    """A piece of work for a player, any hashable object, with its estimated ``cost``."""

    player: object
    cost: int
    waiting_since: float
    content: _T


class Spending:
    """The work that one player has used within the last window, which is divided into `_TICKS` ticks."""

    __slots__ = ("_charges", "_total")

    def __init__(self) -> None:
        self._charges: deque[tuple[int, int]] = deque()
        self._total = 0

    def charge(self, tick: int, cost: int) -> None:
        if self._charges and self._charges[-1][0] == tick:
            cost_before = self._charges.pop()[1]
            self._charges.append((tick, cost_before + cost))
        else:
            self._charges.append((tick, cost))
        self._total += cost

    def total(self, tick: int) -> int:
        """Return the work used within the window that ends at ``tick``, which must not go back; forget older work."""
        while self._charges and self._charges[0][0] <= tick - _TICKS:
            self._total -= self._charges.popleft()[1]
        return self._total


class FairScheduler(Generic[_T]):
    """The waiting and running jobs of all players, at most one running per player, and the choice of the next job."""

    def __init__(self, limits: SchedulerLimits) -> None:
        self._limits = limits
        self._waiting: dict[object, deque[Job[_T]]] = {}  # the player whose turn is next comes first
        self._running: dict[object, Job[_T]] = {}
        # the player who was charged last is at the end
        self._spending: OrderedDict[object, Spending] = OrderedDict()
        self._heavy = 0

    def push(self, job: Job[_T]) -> None:
        self._waiting.setdefault(job.player, deque()).append(job)

    def start(self, now: float) -> Job[_T] | None:
        """Remove and return the next job that may run now; it counts as running until `finish`."""
        tick = self._tick(now)
        best, smallest_excess = None, 0
        for player, jobs in self._waiting.items():
            if player in self._running or not self._has_free_slot(jobs[0]):
                continue
            excess = max(0, self._usage(player, tick) - self._limits.budget)
            if best is None or excess < smallest_excess:
                best, smallest_excess = jobs, excess
            if not smallest_excess:
                break
        return self._run(best) if best else None

    def finish(self, job: Job[_T], cost: int, now: float) -> None:
        """End a running job, and charge its player ``cost``, or the estimated cost if that is larger."""
        del self._running[job.player]
        self._heavy -= self._is_heavy(job)
        tick = self._tick(now)
        self._spending.setdefault(job.player, Spending()).charge(tick, max(cost, job.cost))
        self._spending.move_to_end(job.player)
        while self._spending and not next(iter(self._spending.values())).total(tick):
            self._spending.popitem(last=False)

    def clear(self) -> list[Job[_T]]:
        """Remove and return all waiting jobs; running jobs continue."""
        jobs = [job for each in self._waiting.values() for job in each]
        self._waiting.clear()
        return jobs

    def usage(self, player: object, now: float) -> int:
        return self._usage(player, self._tick(now))

    @property
    def charged_players(self) -> int:
        """The number of players whose used work is still remembered."""
        return len(self._spending)

    @property
    def running(self) -> int:
        return len(self._running)

    @property
    def heavy(self) -> int:
        """The number of running heavy jobs."""
        return self._heavy

    @property
    def oldest(self) -> float | None:
        """The least `Job.waiting_since` of the waiting jobs."""
        return min((jobs[0].waiting_since for jobs in self._waiting.values()), default=None)

    @property
    def oldest_running(self) -> float | None:
        """The least `Job.waiting_since` of the running jobs."""
        return min((job.waiting_since for job in self._running.values()), default=None)

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def _run(self, jobs: deque[Job[_T]]) -> Job[_T]:
        job = jobs.popleft()
        del self._waiting[job.player]
        if jobs:  # the player's next job waits behind everybody
            self._waiting[job.player] = jobs
        self._running[job.player] = job
        self._heavy += self._is_heavy(job)
        return job

    def _is_heavy(self, job: Job[_T]) -> bool:
        return job.cost > self._limits.cheap

    def _has_free_slot(self, job: Job[_T]) -> bool:
        if self._is_heavy(job):
            return self._heavy < self._limits.heavy_slots
        return len(self._running) - self._heavy < self._limits.cheap_slots

    def _usage(self, player: object, tick: int) -> int:
        spending = self._spending.get(player)
        return spending.total(tick) if spending else 0

    def _tick(self, now: float) -> int:
        return int(now * _TICKS / self._limits.window)
