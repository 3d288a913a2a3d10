"""The difference between two players of a leaderboard: how certain it is, and how many more games would decide it.

The result of Welch's test is valid only for a single look, after numbers of games that were fixed before. Ranks come
from intervals that hold however often one looks, so they need more games.
"""

import math
import shlex
from collections.abc import Sequence
from typing import Any, Final

from evilpegs.errors import CommandError
from evilpegs.output import pluralize
from evilpegs_game.errors import quoted
from evilpegs_game.statistics.means import Moments, WelchTest
from evilpegs_protocol.standings import Standings, StandingsRow

FEWEST_GAMES: Final = 20  # of each player, for the normal distribution to be accurate enough


def compare_rows(standings: Standings, players: Sequence[str], source: Sequence[str] = ()) -> dict[str, Any]:
    """Return the document of a difference; errors repeat ``source``, such as --server and a URL, in a hint."""
    first, second = (_find_row(standings, player, source) for player in players)
    if first is second:
        raise CommandError(f"--between needs two different players, not {first.player} twice")
    adjusted = all((row.adjusted_games or 0) >= FEWEST_GAMES for row in (first, second))
    samples = [_adjusted_moments(row) if adjusted else _raw_moments(row) for row in (first, second)]
    for row, sample in zip((first, second), samples, strict=True):
        if sample.size < FEWEST_GAMES:
            count = pluralize(sample.size, "game")
            raise CommandError(
                f"{row.player} has {count} on {standings.ladder}; a comparison takes {FEWEST_GAMES} of each player"
            )
    test = WelchTest(*samples)
    low, high = test.interval
    one, other = (
        {"player": row.player, "games": sample.size, "mean": sample.mean, "deviation": sample.deviation}
        for row, sample in zip((first, second), samples, strict=True)
    )
    return {
        "ladder": standings.ladder,
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
    lines = [f"{each['player']}: {kind} {each['mean']:.3f} of {pluralize(each['games'], 'game')}" for each in samples]
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
        lines.append("one look at these numbers of games, fixed before, is enough to call it settled at 95 %")
    if not result["ranked_apart"]:
        lines.append("the leaderboard does not rank them apart: its intervals hold however often one looks")
    return lines


def _find_row(standings: Standings, player: str, source: Sequence[str]) -> StandingsRow:
    for row in standings.rows:
        if row.player.lower() == player.lower():
            return row
    command = shlex.join(["evilpegs", "leaderboard", standings.ladder, *source])
    raise CommandError(f"{quoted(player)} has no game that counts on {standings.ladder}; see: {command}")


def _raw_moments(row: StandingsRow) -> Moments:
    squares = sum(games * (score - row.mean) ** 2 for score, games in row.histogram)
    deviation = math.sqrt(squares / (row.games - 1)) if row.games > 1 else 0.0
    return Moments(row.games, row.mean, deviation)


def _adjusted_moments(row: StandingsRow) -> Moments:
    return Moments(row.adjusted_games or 0, row.adjusted_mean or 0.0, row.adjusted_deviation or 0.0)


def _ranked_apart(first: StandingsRow, second: StandingsRow) -> bool:
    if first.rank is None or second.rank is None or first.rank_worst is None or second.rank_worst is None:
        return False
    return first.rank_worst < second.rank or second.rank_worst < first.rank
