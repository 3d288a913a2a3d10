"""The intervals of a leaderboard, of mean scores, luck-adjusted means and shares of solved games.

Levels are chosen so that a player does not gain by trying often. The interval of the k-th client version of a player is
shown at the level 0.05 * 6 / (pi^2 k^2). These levels add up to 0.05, so with a probability of at least 0.95 no shown
interval of the player ever misses its mean, for any number of versions. For comparisons, that level is divided by the
number of players on the ladder. With a probability of at least 0.95, no compared interval of the whole ladder then
misses its mean, and no row is wholly better than a row with the same mean.
"""

import math
from collections.abc import Sequence
from typing import Final

from evilpegs_game.statistics.confidence_sequences import asymptotic_half_width, betting_intervals
from evilpegs_server.leaderboard.tally import CountedVersion, VersionTally

LEVEL: Final = 0.05
# games with a known luck; the interval of their luck-adjusted mean is asymptotic
ADJUSTED_FROM: Final = 20
# added to the games with a known luck. The scores of a player who has not failed yet vary little, so without the added
# game the interval would be far too narrow for players who fail one game in a hundred: in a simulation of ladders, each
# of 1,000 equal players who fail 1 % of their games, every ladder ranked some player wholly better than an equal one
# (tests/statistics).
ASSUMED_FAILURES: Final = 1
MILLIONTHS: Final = 1_000_000  # of a guess, the unit of luck-adjusted scores


def version_level(version: int) -> float:
    """Return the level for the ``version``-th client version of a player; all levels add up to `LEVEL`."""
    return LEVEL * 6 / (math.pi * version) ** 2


def raw_intervals(
    versions: Sequence[CountedVersion], guess_limit: int, levels: Sequence[float]
) -> list[tuple[float, float]]:
    scores = range(1, guess_limit + 2)
    counts = [[version.tally.scores[score] for score in scores] for version in versions]
    return _intervals(counts, 1, guess_limit + 1, levels)


def adjusted_interval(tally: VersionTally, guess_limit: int, level: float) -> tuple[float, float]:
    """Return the asymptotic interval (low, high) of the mean luck-adjusted score, in guesses."""
    failure = (guess_limit + 1) * MILLIONTHS
    games = tally.luck_games + ASSUMED_FAILURES
    total = tally.luck_total + ASSUMED_FAILURES * failure
    squares = tally.luck_squares + ASSUMED_FAILURES * failure**2
    middle, half = total / games, asymptotic_half_width(games, total, squares, level)
    return (middle - half) / MILLIONTHS, (middle + half) / MILLIONTHS


def solved_intervals(versions: Sequence[CountedVersion], levels: Sequence[float]) -> list[tuple[float, float]]:
    counts = [[tally.scores.total() - tally.solved, tally.solved] for _, _, tally in versions]
    return _intervals(counts, 0, 1, levels)


def _intervals(
    counts: list[list[int]], lowest: int, highest: int, levels: Sequence[float]
) -> list[tuple[float, float]]:
    if not counts:
        return []
    return [(low, high) for low, high in betting_intervals(counts, lowest, highest, levels).tolist()]
