"""Rows of a leaderboard, each with the results of one client version of a player."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import orjson

from evilpegs_game.statistics.means import deviation
from evilpegs_protocol.server_messages import LadderInfo, PlayerKind
from evilpegs_server.leaderboard import intervals
from evilpegs_server.leaderboard.standing import PLACED_FROM, games_for_rank
from evilpegs_server.leaderboard.tally import CountedVersion, VersionTally, percentile


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """The results of one player with one client version on one ladder.

    ``score`` is the number that is shown and by which rows are ordered: ``adjusted_mean`` if the ladder has a value
    curve, else ``mean``. ``placed`` is False for a row with too few games, which stands below all others.

    ``client`` is the name and version that the player's program gives itself. ``low`` and ``high`` bound
    the ``mean`` score, where the score of a game is its number of guesses, or the guess limit + 1 if it was not solved;
    ``worst`` is the greatest score, and ``histogram`` has pairs of a score and its number of games. ``solved`` is the
    share of solved games, from 0 to 1, with the bounds ``solved_low`` and ``solved_high``. ``mean_ms`` and ``p95_ms``
    are the mean and the 95th percentile of the milliseconds per guess. ``rank`` and ``rank_worst`` are the best and the
    worst possible rank, or None without enough games. ``undecided`` is True if the intervals leave other ranks
    possible, so that the order of rows with the same rank is not decided; None without a rank. ``kind`` is what the
    player claimed to be.

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
    kind: PlayerKind = "bot"
    undecided: bool | None = None
    score: float | None = None
    placed: bool = False


def leaderboard_text(ladder: LadderInfo, rows: Sequence[LeaderboardRow], kind: PlayerKind | None = None) -> bytes:
    """Return the JSON object that ``evilpegs leaderboard --json`` prints, with the rows of this kind only."""
    # places beside the rows: in them, one game would change hundreds
    places = [place for place, row in enumerate(rows, 1) if kind is None or row.kind == kind]
    terms = {name: getattr(ladder, name) for name in ("rules", "codemaker", "guess_limit")}
    terms |= {"ranked_from": games_for_rank(ladder.codemaker, ladder.kind), "placed_from": PLACED_FROM}
    shown = {"rows": [rows[place - 1] for place in places], "places": places}
    return orjson.dumps({"ladder": ladder.id} | terms | shown)


def make_rows(versions: Sequence[CountedVersion], guess_limit: int, adjusted: bool) -> Iterator[LeaderboardRow]:
    """Yield a row without a rank for each version; only rows with ``adjusted`` have luck-adjusted results."""
    # intervals take 2 ms one at a time, and 0.1 ms each among thousands
    levels = [intervals.version_level(version.number) for version in versions]
    means = intervals.raw_intervals(versions, guess_limit, levels)
    shares = intervals.solved_intervals(versions, levels)
    for (player, number, tally), level, interval, share in zip(versions, levels, means, shares, strict=True):
        scores, times = tally.scores, tally.times_ms
        mean = fmean(scores, scores.values())
        adjusted_fields = _adjusted_fields(tally, guess_limit, level) if adjusted and tally.luck_games else {}
        yield LeaderboardRow(
            player=player.name,
            client=tally.client,
            games=scores.total(),
            mean=mean,
            low=interval[0],
            high=interval[1],
            worst=max(scores),
            solved=tally.solved / scores.total(),
            p95_ms=percentile(times, 0.95) if times else 0,
            mean_ms=fmean(times, times.values()) if times else 0.0,
            histogram=tuple(sorted(scores.items())),
            solved_low=share[0],
            solved_high=share[1],
            version=number,
            versions=len(player.versions),
            all_games=player.games,
            all_matches=player.matches,
            kind=player.kind,
            score=adjusted_fields.get("adjusted_mean") if adjusted else mean,
            placed=(tally.luck_games if adjusted else scores.total()) >= PLACED_FROM,
            **adjusted_fields,
        )


def _adjusted_fields(tally: VersionTally, guess_limit: int, level: float) -> dict[str, Any]:
    games, total, squares = tally.luck_games, tally.luck_total, tally.luck_squares
    low, high = (
        intervals.adjusted_interval(tally, guess_limit, level) if games >= intervals.ADJUSTED_FROM else (None, None)
    )
    return {
        "adjusted_mean": total / games / intervals.MILLIONTHS,
        "adjusted_low": low,
        "adjusted_high": high,
        "adjusted_deviation": deviation(games, total, squares) / intervals.MILLIONTHS if games > 1 else None,
        "adjusted_games": games,
    }
