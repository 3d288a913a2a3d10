"""The difference between two players of a leaderboard: how certain it is, and how many more games would decide it.

The result of Welch's test is valid only for a single look, after numbers of games that were fixed before. Ranks come
from intervals that hold however often one looks, so they need more games.
"""

import math
from collections.abc import Sequence
from typing import Any, Final, Protocol

from evilpegs_game.errors import GameError
from evilpegs_game.statistics.means import Moments, WelchTest

FEWEST_GAMES: Final = 20  # of each player, for the normal distribution to be accurate enough


class Results(Protocol):
    """A row of a leaderboard, whose class is above the game."""

    @property
    def player(self) -> str: ...
    @property
    def games(self) -> int: ...
    @property
    def mean(self) -> float: ...
    @property
    def histogram(self) -> Sequence[tuple[int, int]]: ...
    @property
    def rank(self) -> int | None: ...
    @property
    def rank_worst(self) -> int | None: ...
    @property
    def adjusted_mean(self) -> float | None: ...
    @property
    def adjusted_deviation(self) -> float | None: ...
    @property
    def adjusted_games(self) -> int | None: ...


def compare_results(ladder: str, first: Results, second: Results) -> dict[str, Any]:
    """Return the document of a difference. Raises GameError if a player has too few games."""
    adjusted = all((row.adjusted_games or 0) >= FEWEST_GAMES for row in (first, second))
    samples = [_adjusted_moments(row) if adjusted else _raw_moments(row) for row in (first, second)]
    for row, sample in zip((first, second), samples, strict=True):
        if sample.size < FEWEST_GAMES:
            count = f"{sample.size} game{'' if sample.size == 1 else 's'}"
            raise GameError(f"{row.player} has {count} on {ladder}; a comparison takes {FEWEST_GAMES} of each player")
    test = WelchTest(*samples)
    low, high = test.interval
    one, other = (
        {"player": row.player, "games": sample.size, "mean": sample.mean, "deviation": sample.deviation}
        for row, sample in zip((first, second), samples, strict=True)
    )
    return {
        "ladder": ladder,
        "adjusted": adjusted,
        "first": one,
        "second": other,
        "difference": test.difference,
        "low": low,
        "high": high,
        "chance": test.probability,
        "more_games": test.more_values,
        "ranked_apart": _ranked_apart(first, second),
    }


def difference_lines(result: dict[str, Any]) -> list[str]:
    kind = "luck-adjusted mean" if result["adjusted"] else "mean"
    samples = (result["first"], result["second"])
    lines = [f"{each['player']}: {kind} {each['mean']:.3f} of {each['games']:,} games" for each in samples]
    difference, low, high = result["difference"], result["low"], result["high"]
    if difference == 0 or result["more_games"] is None:
        return [*lines, "the means are equal; no number of games would settle a difference of 0"]
    better, worse = samples if difference > 0 else samples[::-1]
    interval = f"{low:+.3f} to {high:+.3f}"
    if low * high > 0:
        interval = "{:.3f} to {:.3f}".format(*sorted((abs(low), abs(high))))
    size = f"{abs(difference):.3f} guesses per game"
    lines.append(f"{better['player']} needs {size} fewer than {worse['player']} (95 % interval: {interval})")
    chance = "less than 0.01 %" if result["chance"] < 1e-4 else f"{100 * result['chance']:.2g} %"
    lines.append(f"equal players would differ as much with a probability of {chance}")
    if more := result["more_games"]:
        lines.append(f"about {more:,} more games of each would settle it, if the difference is what it seems")
    else:
        lines.append(f"that is enough to call {better['player']} better, if these numbers of games were fixed before")
    if not result["ranked_apart"]:
        lines.append("the leaderboard, at which one may look at any time, needs more games to rank them apart")
    return lines


def _raw_moments(row: Results) -> Moments:
    squares = sum(games * (score - row.mean) ** 2 for score, games in row.histogram)
    deviation = math.sqrt(squares / (row.games - 1)) if row.games > 1 else 0.0
    return Moments(row.games, row.mean, deviation)


def _adjusted_moments(row: Results) -> Moments:
    return Moments(row.adjusted_games or 0, row.adjusted_mean or 0.0, row.adjusted_deviation or 0.0)


def _ranked_apart(first: Results, second: Results) -> bool:
    if first.rank is None or second.rank is None or first.rank_worst is None or second.rank_worst is None:
        return False
    return first.rank_worst < second.rank or second.rank_worst < first.rank
