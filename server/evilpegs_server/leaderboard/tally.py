"""Counts of the games of players, to which results can be added in bulk and in any order."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(slots=True)
class VersionTally:
    """The counted results of one player with one client version on one ladder.

    ``first`` and ``last`` are the numbers of the earliest and the latest started match. ``scores`` and ``times_ms``
    count games by score and guesses by time. ``luck_total`` and ``luck_squares`` are sums over luck-adjusted scores, in
    millionths of a guess.
    """

    client: str
    matches: int = 0
    first: float = math.inf
    last: float = -math.inf
    solved: int = 0
    scores: Counter[int] = field(default_factory=Counter)
    times_ms: Counter[int] = field(default_factory=Counter)
    guesses: int = 0
    total_ms: int = 0
    luck_games: int = 0
    luck_total: int = 0
    luck_squares: int = 0

    def add_matches(self, count: int, first: int, last: int) -> None:
        self.matches += count
        self.first, self.last = min(self.first, first), max(self.last, last)

    def add_games(self, outcome: str, guesses: int, guess_limit: int, count: int = 1) -> None:
        """Add games with one outcome and one length; void games are ignored."""
        if outcome == "void":
            return
        solved = outcome == "solved" and 1 <= guesses <= guess_limit
        self.solved += count if solved else 0
        self.scores[guesses if solved else guess_limit + 1] += count

    def add_times(self, times_ms: Iterable[int]) -> None:
        times = list(times_ms)
        self.times_ms.update(times)
        self.guesses += len(times)
        self.total_ms += sum(times)

    @property
    def mean_ms(self) -> float:
        return self.total_ms / self.guesses if self.guesses else 0.0

    def add_luck(self, games: int, total: int, squares: int) -> None:
        self.luck_games += games
        self.luck_total += total
        self.luck_squares += squares


@dataclass(slots=True)
class PlayerTally:
    name: str = ""
    versions: dict[str, VersionTally] = field(default_factory=dict)

    def version(self, client: str) -> VersionTally:
        if client not in self.versions:
            self.versions[client] = VersionTally(client)
        return self.versions[client]

    @property
    def matches(self) -> int:
        return sum(tally.matches for tally in self.versions.values())

    @property
    def games(self) -> int:
        return sum(tally.scores.total() for tally in self.versions.values())

    def numbered_versions(self) -> Iterator[tuple[int, VersionTally]]:
        """Yield the versions in the order of their first matches; those without a match come last."""
        ordered = sorted(self.versions.values(), key=lambda tally: (tally.first, tally.client))
        yield from enumerate(ordered, start=1)

    def latest_version(self) -> tuple[int, VersionTally] | None:
        """Return the version with which the player started a match last, among those with a game that is not void."""
        counted = [(number, tally) for number, tally in self.numbered_versions() if tally.scores]
        return max(counted, key=lambda version: (version[1].last, version[0]), default=None)


def mean(counts: Counter[int]) -> float:
    """Return the mean of numbers, of which each key occurs as often as its value says."""
    return sum(value * count for value, count in counts.items()) / counts.total()


def percentile(counts: Counter[int], share: float) -> int:
    """Return the smallest x for which at least the fraction ``share`` of all numbers is at most x."""
    wanted = math.ceil(share * counts.total())
    passed = 0
    for value in sorted(counts):
        passed += counts[value]
        if passed >= wanted:
            break
    return value


class CountedVersion(NamedTuple):
    """A client version with at least one game that is not void, and its number among the versions of the player."""

    player: PlayerTally
    number: int
    tally: VersionTally
