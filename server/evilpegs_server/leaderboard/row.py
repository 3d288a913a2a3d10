"""Rows of a leaderboard, each with the results of one client version of a player."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from evilpegs_game.statistics.means import deviation
from evilpegs_protocol.server_messages import LadderInfo
from evilpegs_server.leaderboard.intervals import (
    ADJUSTED_FROM,
    MILLIONTHS,
    adjusted_interval,
    raw_intervals,
    solved_intervals,
    version_level,
)
from evilpegs_server.leaderboard.tally import CountedVersion, VersionTally, mean, percentile


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """The results of one player with one client version on one ladder.

    ``client`` is the name and version of the client. ``low`` and ``high`` bound the ``mean`` score, where the score of
    a game is its number of guesses, or the guess limit + 1 if it was not solved; ``worst`` is the greatest score, and
    ``histogram`` has pairs of a score and its number of games. ``solved`` is the share of solved games, from 0 to 1,
    with the bounds ``solved_low`` and ``solved_high``. ``mean_ms`` and ``p95_ms`` are the mean and the 95th percentile
    of the milliseconds per guess. ``rank`` and ``rank_worst`` are the best and the worst possible rank, or None without
    enough games.

    The adjusted numbers are those of the score minus luck, in guesses, over the ``adjusted_games`` games with a known
    luck; they are None if the ladder has no value curve or too few games have a luck. All bounds are ends of confidence
    intervals, at the level of this version. ``version`` is the number of this client version among the player's
    ``versions`` versions, from 1, and ``all_games`` and ``all_matches`` count the games and the started rated matches
    of all versions.
    """

    player: str
    client: str
    games: int
    mean: float
    low: float
    high: float
    worst: int
    solved: float
    p95_ms: int
    mean_ms: float
    histogram: tuple[tuple[int, int], ...]
    rank: int | None = None
    rank_worst: int | None = None
    solved_low: float = 0.0
    solved_high: float = 1.0
    adjusted_mean: float | None = None
    adjusted_low: float | None = None
    adjusted_high: float | None = None
    adjusted_deviation: float | None = None
    adjusted_games: int | None = None
    version: int = 1
    versions: int = 1
    all_games: int = 0
    all_matches: int = 0


def leaderboard_document(ladder: LadderInfo, rows: Iterable[LeaderboardRow]) -> dict[str, Any]:
    """Return the JSON object that ``evilpegs leaderboard --json`` prints."""
    return {
        "ladder": ladder.id,
        "rules": ladder.rules,
        "codemaker": ladder.codemaker,
        "guess_limit": ladder.guess_limit,
        "rows": [{name: getattr(row, name) for name in _COLUMNS} for row in rows],
    }


def make_rows(versions: Sequence[CountedVersion], guess_limit: int, adjusted: bool) -> Iterator[LeaderboardRow]:
    """Yield a row without a rank for each version; only rows with ``adjusted`` have luck-adjusted results."""
    # intervals take 2 ms one at a time, and 0.1 ms each among thousands
    levels = [version_level(version.number) for version in versions]
    means = raw_intervals(versions, guess_limit, levels)
    shares = solved_intervals(versions, levels)
    for version, interval, share in zip(versions, means, shares, strict=True):
        yield _make_row(version, interval, share, guess_limit if adjusted else None)


def _make_row(
    version: CountedVersion,
    interval: tuple[float, float],
    solved: tuple[float, float],
    adjusted_limit: int | None,
) -> LeaderboardRow:
    player, number, tally = version
    scores, times = tally.scores, tally.times_ms
    return LeaderboardRow(
        player=player.name,
        client=tally.client,
        games=scores.total(),
        mean=mean(scores),
        low=interval[0],
        high=interval[1],
        worst=max(scores),
        solved=tally.solved / scores.total(),
        p95_ms=percentile(times, 0.95) if times else 0,
        mean_ms=tally.mean_ms,
        histogram=tuple(sorted(scores.items())),
        solved_low=solved[0],
        solved_high=solved[1],
        version=number,
        versions=len(player.versions),
        all_games=player.games,
        all_matches=player.matches,
        **_adjusted_fields(tally, adjusted_limit, version_level(number)),
    )


def _adjusted_fields(tally: VersionTally, guess_limit: int | None, level: float) -> dict[str, Any]:
    if guess_limit is None or not tally.luck_games:
        return {}
    games, total, squares = tally.luck_games, tally.luck_total, tally.luck_squares
    low, high = adjusted_interval(tally, guess_limit, level) if games >= ADJUSTED_FROM else (None, None)
    return {
        "adjusted_mean": total / games / MILLIONTHS,
        "adjusted_low": low,
        "adjusted_high": high,
        "adjusted_deviation": deviation(games, total, squares) / MILLIONTHS if games > 1 else None,
        "adjusted_games": games,
    }


_COLUMNS: Final = tuple(column.name for column in fields(LeaderboardRow))
