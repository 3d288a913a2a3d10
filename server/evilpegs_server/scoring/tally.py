"""A tally: the games of one player as counts, which can be added one at a time, by the thousand, and in any order."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class PlayerTally:
    """The results of one player with one client version on one ladder.

    ``scores`` counts the games with each score, ``solved`` those that were solved, and ``times_ms`` the guesses that
    took each number of milliseconds. ``last_at`` is the start of the latest match, in Unix milliseconds.
    """

    client: str
    last_at: int = 0
    solved: int = 0
    scores: Counter[int] = field(default_factory=Counter)
    times_ms: Counter[int] = field(default_factory=Counter)

    def add_start(self, at: int) -> None:
        """Add a match that began at ``at``."""
        self.last_at = max(self.last_at, at)

    def add_games(self, outcome: str, guesses: int, guess_limit: int, count: int = 1) -> None:
        """Add games with the same end: a game that was not solved scores one more than the limit, void ones nothing."""
        if outcome == "void":
            return
        solved = outcome == "solved"
        self.solved += count if solved else 0
        self.scores[guesses if solved else guess_limit + 1] += count

    def add_guesses(self, took_ms: int, count: int = 1) -> None:
        """Add guesses that took the same time."""
        self.times_ms[took_ms] += count


def latest(tallies: Iterable[PlayerTally]) -> PlayerTally:
    """Return the tally whose latest match began last. Equal times are decided by the names of the clients."""
    return max(tallies, key=lambda tally: (tally.last_at, tally.client))


def combine(tallies: Iterable[PlayerTally]) -> PlayerTally:
    """Return the sum of a player's tallies of several client versions, under the name of the latest version."""
    versions = list(tallies)
    newest = latest(versions)
    total = PlayerTally(newest.client, newest.last_at)
    for tally in versions:
        total.solved += tally.solved
        total.scores.update(tally.scores)
        total.times_ms.update(tally.times_ms)
    return total


def mean(counts: Counter[int]) -> float:
    """Return the mean of the counted numbers, of which there is at least one."""
    return sum(value * count for value, count in counts.items()) / counts.total()


def variance(counts: Counter[int]) -> float:
    """Return the sample variance of at least two counted numbers, rounded once: the sums are exact integers."""
    number = counts.total()
    total = sum(value * count for value, count in counts.items())
    squares = sum(value * value * count for value, count in counts.items())
    return (number * squares - total * total) / (number * (number - 1))


def percentile(counts: Counter[int], share: float) -> int:
    """Return the smallest number that at least ``share`` of the counted numbers do not exceed."""
    wanted = math.ceil(share * counts.total())
    passed = 0
    for value in sorted(counts):
        passed += counts[value]
        if passed >= wanted:
            break
    return value
