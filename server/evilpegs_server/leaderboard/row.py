"""Rows of a leaderboard, each with the results of one client version of a player."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

import orjson

from evilpegs_game.statistics.means import deviation
from evilpegs_protocol.leaderboard import LeaderboardDocument, LeaderboardRow
from evilpegs_protocol.server_messages import LadderInfo, PlayerKind
from evilpegs_server.leaderboard import intervals
from evilpegs_server.leaderboard.standing import PLACED_FROM, games_for_rank
from evilpegs_server.leaderboard.tally import CountedVersion, VersionTally, percentile


def leaderboard_document(
    ladder: LadderInfo, rows: Sequence[LeaderboardRow], kind: PlayerKind | None = None
) -> LeaderboardDocument:
    """Return what the site and ``evilpegs leaderboard --json`` show, with the rows of this kind only."""
    # places beside the rows: in them, one game would change hundreds
    places = tuple(place for place, row in enumerate(rows, 1) if kind is None or row.kind == kind)
    return LeaderboardDocument(
        ladder=ladder.id,
        rules=ladder.rules,
        codemaker=ladder.codemaker,
        guess_limit=ladder.guess_limit,
        ranked_from=games_for_rank(ladder.codemaker, ladder.kind),
        placed_from=PLACED_FROM,
        rows=tuple(rows[place - 1] for place in places),
        places=places,
    )


def leaderboard_text(ladder: LadderInfo, rows: Sequence[LeaderboardRow], kind: PlayerKind | None = None) -> bytes:
    return orjson.dumps(dict(leaderboard_document(ladder, rows, kind)))


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
