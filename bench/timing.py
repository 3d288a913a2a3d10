"""Times, percentiles, and measurements that take turns, so that a noisy machine disturbs all of them alike."""

import resource
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median
from typing import NamedTuple, TypeVar

import numpy as np

Name = TypeVar("Name")


class Times(NamedTuple):
    """The median wall-clock and processor seconds of a run, and the latter as a multiple of a plain loop's."""

    wall: float
    processor: float
    loops: float


def alternating(names: Sequence[Name], rounds: int) -> Iterator[Name]:
    """Yield all names once per round; every second round has the reverse order."""
    for index in range(rounds):
        yield from names[::-1] if index % 2 else names


def percentiles(values: Iterable[float], *percents: float) -> list[float]:
    """Return some percentiles of values, interpolated linearly."""
    return np.percentile(list(values), percents).tolist()


def seconds_of(run: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds that a call takes by a clock."""
    start = clock()
    run()
    return clock() - start


def plain_loop() -> int:
    """Run a million steps of the interpreter: the baseline of pure computation."""
    total = 0
    for step in range(1_000_000):
        total += step & 3
    return total


def times_beside_loop(run: Callable[[], object], rounds: int) -> Times:
    """Return the median times of a run that takes turns with the plain loop.

    If there are several rounds, a run that is not measured comes first.
    """
    if rounds > 1:
        run()
    walls: list[float] = []
    processors: dict[Callable[[], object], list[float]] = {run: [], plain_loop: []}
    for each in alternating((plain_loop, run), rounds):
        worked = time.process_time()
        wall = seconds_of(each)
        processors[each].append(time.process_time() - worked)
        walls += [wall] * (each is run)
    processor = median(processors[run])
    return Times(median(walls), processor, processor / median(processors[plain_loop]))


def peak_mebibytes() -> int:
    """Return the most memory that this process has used so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
