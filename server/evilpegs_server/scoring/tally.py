"""Tallies: counts of the games of players, to which results can be added in bulk and in any order."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class VersionTally:
    """The counted results of one player with one client version on one ladder.

    ``client`` is the name and version of the client. ``matches`` counts the started matches. Matches have numbers, and
    a greater number means a later start: ``first`` is the number of the earliest of these matches, or infinity without
    a match, and ``last`` that of the latest, or minus infinity. ``scores`` has the number of games for each score, and
    ``solved`` counts the solved games. ``times_ms`` has the number of guesses for each time in milliseconds;
    ``guesses`` is the number of these guesses and ``total_ms`` their total time. ``luck_games``, ``luck_total``
    and ``luck_squares`` are the number, the sum and the sum of squares of luck-adjusted scores (scores minus luck) in
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
        """Add ``count`` started matches, the earliest with the number ``first`` and the latest with ``last``.

        The numbers order matches by their start: a greater number means a later start.
        """
        self.matches += count
        self.first, self.last = min(self.first, first), max(self.last, last)

    def add_games(self, outcome: str, guesses: int, guess_limit: int, count: int = 1) -> None:
        """Add ``count`` games with the same outcome and number of guesses. Void games are ignored.

        ``outcome`` is that of the event `game_over`. The score of a game is ``guesses`` if its outcome is ``solved``
        and ``guesses`` is at most ``guess_limit``; otherwise it is ``guess_limit`` + 1.
        """
        if outcome == "void":
            return
        solved = outcome == "solved" and 1 <= guesses <= guess_limit
        self.solved += count if solved else 0
        self.scores[guesses if solved else guess_limit + 1] += count

    def add_times(self, times_ms: Iterable[int]) -> None:
        """Add the times that guesses took, in milliseconds, one per guess."""
        times = list(times_ms)
        self.times_ms.update(times)
        self.guesses += len(times)
        self.total_ms += sum(times)

    @property
    def mean_ms(self) -> float:
        """The mean time of a guess in milliseconds, or 0 without guesses."""
        return self.total_ms / self.guesses if self.guesses else 0.0

    def add_luck(self, games: int, total: int, squares: int) -> None:
        """Add luck-adjusted scores in millionths of a guess.

        ``games`` is the number of the scores, ``total`` their sum, and ``squares`` the sum of their squares.
        """
        self.luck_games += games
        self.luck_total += total
        self.luck_squares += squares


@dataclass(slots=True)
class PlayerTally:
    """The counted results of one player on one ladder, by client version.

    ``name`` is the name of the player, or None until it is set.
    """

    name: str | None = None
    versions: dict[str, VersionTally] = field(default_factory=dict)

    def version(self, client: str) -> VersionTally:
        """Return the results with the client version ``client``; a new version begins without results."""
        if client not in self.versions:
            self.versions[client] = VersionTally(client)
        return self.versions[client]

    @property
    def known_name(self) -> str:
        """The name of the player.

        Raises:
            ValueError: the name was never set.
        """
        if self.name is None:
            raise ValueError("a player with a game has no name; set it before reading rows")
        return self.name

    @property
    def matches(self) -> int:
        """The number of started matches with all client versions."""
        return sum(tally.matches for tally in self.versions.values())

    @property
    def games(self) -> int:
        """The number of games that count, which are all but void games, with all client versions."""
        return sum(tally.scores.total() for tally in self.versions.values())

    def numbered_versions(self) -> Iterator[tuple[int, VersionTally]]:
        """Yield a pair for each client version: its number, from 1, and its results.

        Versions are numbered in the order of their first matches. Versions without a started match come last, in
        alphabetical order.
        """
        ordered = sorted(self.versions.values(), key=lambda tally: (tally.first, tally.client))
        yield from enumerate(ordered, start=1)

    def latest_version(self) -> tuple[int, VersionTally] | None:
        """Return the number and the results of the client version with which the player began a match last.

        Only versions with a game that counts, which is any but a void game, are considered. The result is None if there
        is no such version. `numbered_versions` defines the number.
        """
        counted = [(number, tally) for number, tally in self.numbered_versions() if tally.scores]
        return max(counted, key=lambda version: (version[1].last, version[0]), default=None)


def mean(counts: Counter[int]) -> float:
    """Return the mean of numbers. ``counts`` maps each number to how often it occurs, and must not be empty."""
    return sum(value * count for value, count in counts.items()) / counts.total()


def percentile(counts: Counter[int], share: float) -> int:
    """Return the smallest number x for which at least the fraction ``share`` of all numbers is at most x.

    ``counts`` maps each number to how often it occurs, and must not be empty. ``share`` is from 0 to 1.
    """
    wanted = math.ceil(share * counts.total())
    passed = 0
    for value in sorted(counts):
        passed += counts[value]
        if passed >= wanted:
            break
    return value
