"""Who is next: the order in which jobs of many players take their turns. No thread and no clock.

Within his budget everybody is equal and takes turns; over it, who has used most comes last. What was used is forgotten
after a window of time, so whoever waits for a window is equal again, and everybody who came later is behind him.

The queue has no bound of its own: a match has at most one reply outstanding and a player a bounded number of matches.
"""

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

_T = TypeVar("_T")

_TICKS: Final = 16
"""A window is counted in so many parts: work is forgotten after 15 to 16 of them."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How work is shared: ``budget`` units for a player in each ``window`` seconds.

    A job of more than ``cheap`` units is heavy. So many heavy and so many cheap ones run at once as there are lanes for
    them; thus a cheap job never waits for a heavy one of somebody else.
    """

    budget: int
    window: float
    cheap: int
    heavy_lanes: int
    cheap_lanes: int

    @property
    def lanes(self) -> int:
        """The most jobs that ever run at once."""
        return self.heavy_lanes + self.cheap_lanes


@dataclass(frozen=True, slots=True)
class Job(Generic[_T]):
    """Something to do for a player: what it will cost at a guess, and since when it waits."""

    player: object
    cost: int
    since: float
    content: _T


class Spending:
    """What one player has used within the last window."""

    __slots__ = ("_charges", "_total")

    def __init__(self) -> None:
        self._charges: deque[tuple[int, int]] = deque()
        self._total = 0

    def charge(self, tick: int, cost: int) -> None:
        """Add ``cost`` at ``tick``; ticks never go back."""
        if self._charges and self._charges[-1][0] == tick:
            cost_before = self._charges.pop()[1]
            self._charges.append((tick, cost_before + cost))
        else:
            self._charges.append((tick, cost))
        self._total += cost

    def used(self, tick: int) -> int:
        """What is not forgotten at ``tick``."""
        while self._charges and self._charges[0][0] <= tick - _TICKS:
            self._total -= self._charges.popleft()[1]
        return self._total


class FairQueue(Generic[_T]):
    """Jobs that wait and players whose job runs. Times are arguments, in seconds, and never go back."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._waiting: dict[object, deque[Job[_T]]] = {}
        """By player, in the order in which they wait for their turns."""
        self._running: dict[object, Job[_T]] = {}
        self._spending: OrderedDict[object, Spending] = OrderedDict()
        """By player, who was charged last at the end."""
        self._heavy = 0

    def push(self, job: Job[_T]) -> None:
        """Let a job wait for its turn, after the others of its player."""
        self._waiting.setdefault(job.player, deque()).append(job)

    def start(self, now: float) -> Job[_T] | None:
        """Take the job that may run next, or None; it runs until `finish`."""
        tick = self._tick(now)
        best, least = None, 0
        for player, jobs in self._waiting.items():
            if player in self._running or not self._has_lane(jobs[0]):
                continue
            excess = self._excess(player, tick)
            if best is None or excess < least:
                best, least = jobs, excess
            if not least:
                break
        return self._run(best) if best else None

    def finish(self, job: Job[_T], cost: int, now: float) -> None:
        """The job is done and has cost so much; its player is charged that, or what was guessed if it is more."""
        del self._running[job.player]
        self._heavy -= self._is_heavy(job)
        tick = self._tick(now)
        self._spending.setdefault(job.player, Spending()).charge(tick, max(cost, job.cost))
        self._spending.move_to_end(job.player)
        while self._spending and not next(iter(self._spending.values())).used(tick):
            self._spending.popitem(last=False)

    def clear(self) -> list[Job[_T]]:
        """Take out whatever waits."""
        jobs = [job for each in self._waiting.values() for job in each]
        self._waiting.clear()
        return jobs

    def used(self, player: object, now: float) -> int:
        """What a player has used within the last window."""
        spending = self._spending.get(player)
        return spending.used(self._tick(now)) if spending else 0

    @property
    def charged_players(self) -> list[object]:
        """List the players whose work within the last window is remembered, the one charged last at the end."""
        return list(self._spending)

    @property
    def running(self) -> int:
        """How many jobs run."""
        return len(self._running)

    @property
    def heavy(self) -> int:
        """How many heavy jobs run."""
        return self._heavy

    @property
    def oldest(self) -> float | None:
        """Since when the job waits that waits longest."""
        return min((jobs[0].since for jobs in self._waiting.values()), default=None)

    def __len__(self) -> int:
        """How many jobs wait."""
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
        return job.cost > self._terms.cheap

    def _has_lane(self, job: Job[_T]) -> bool:
        if self._is_heavy(job):
            return self._heavy < self._terms.heavy_lanes
        return len(self._running) - self._heavy < self._terms.cheap_lanes

    def _excess(self, player: object, tick: int) -> int:
        spending = self._spending.get(player)
        return max(0, spending.used(tick) - self._terms.budget) if spending else 0

    def _tick(self, now: float) -> int:
        return int(now * _TICKS / self._terms.window)
