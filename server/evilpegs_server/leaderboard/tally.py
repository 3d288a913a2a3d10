"""Counts of the games of players, to which results can be added in bulk and in any order."""

import math
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from evilpegs_protocol.server_messages import PlayerKind


@dataclass(slots=True)
class VersionTally:
    client: str
    matches: int = 0
    first: float = math.inf  # the number of the earliest started match
    last: float = -math.inf
    solved: int = 0
    scores: Counter[int] = field(default_factory=Counter)  # games
    times_ms: Counter[int] = field(default_factory=Counter)  # guesses
    luck_games: int = 0
    luck_total: int = 0  # of luck-adjusted scores, in millionths of a guess
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

    def add_luck(self, games: int, total: int, squares: int) -> None:
        self.luck_games += games
        self.luck_total += total
        self.luck_squares += squares


@dataclass(slots=True)
class PlayerTally:
    name: str = ""
    kind: PlayerKind = "bot"
    versions: dict[str, VersionTally] = field(default_factory=dict)

    def version(self, client: str) -> VersionTally:
        if (known := self.versions.get(client)) is None:  # `setdefault` would make one at each call
            known = self.versions[client] = VersionTally(client)
        return known

    @property
    def matches(self) -> int:
        return sum(tally.matches for tally in self.versions.values())

    @property
    def games(self) -> int:
        return sum(tally.scores.total() for tally in self.versions.values())

    def counted_versions(self) -> "list[CountedVersion]":
        """Return the versions with a game that is not void; all are numbered by first match, those without one last."""
        ordered = sorted(self.versions.values(), key=lambda tally: (tally.first, tally.client))
        return [CountedVersion(self, number, tally) for number, tally in enumerate(ordered, 1) if tally.scores]

    def latest_version(self) -> "CountedVersion | None":
        return max(self.counted_versions(), key=lambda version: (version.tally.last, version.number), default=None)


def percentile(counts: Counter[int], share: float) -> int:
    """Return the smallest x for which at least the fraction ``share`` of all numbers is at most x."""
    values = sorted(counts)
    at_most = list(accumulate(counts[value] for value in values))
    return values[bisect_left(at_most, math.ceil(share * at_most[-1]))]


class CountedVersion(NamedTuple):
    """A client version with at least one game that is not void, and its number among the versions of the player."""

    player: PlayerTally
    number: int
    tally: VersionTally
