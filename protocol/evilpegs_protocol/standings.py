"""The leaderboard of a ladder, as a server's site and `evilpegs leaderboard --json` write it."""

from typing import Annotated

from pydantic import Field

from evilpegs_protocol.fields import (
    Codemaker,
    Count,
    Label,
    LadderId,
    Message,
    Milliseconds,
    Name,
    Number,
    ProgramText,
)
from evilpegs_protocol.server_messages import PlayerKind

Figure = Annotated[float, Field(ge=0)]
"""A measured number, which may have a fraction."""
Rank = Annotated[int, Field(ge=1)]


class StandingsRow(Message):
    """The results of one player with their latest client version.

    The score of a game is its number of guesses, or the guess limit + 1 if the game was not solved. `mean` is the mean
    score, between the bounds `low` and `high` of its confidence interval, and `worst` is the highest score. `solved` is
    the share of solved games, from 0 to 1, between the bounds `solved_low` and `solved_high`. `p95_ms` and `mean_ms`
    are the 95th percentile and the mean of the time per guess. `histogram` lists pairs of a score and the number of
    games with this score.

    `rank` and `rank_worst` are the best and the worst rank that the intervals leave possible, null without a rank. The
    fields whose names begin with `adjusted` are about scores minus luck: the mean, the bounds of its interval, the
    standard deviation of a single score, and the number of scores. They are null if the ladder has no luck-adjusted
    scores or there are too few games.

    `version` is the number of the client version among the player's `versions`, from 1. `all_games` and `all_matches`
    count the games and the started matches of all versions.

    `kind` is `bot` or `human`. `place` is the place in the table of all players, from 1, also without a rank.
    `undecided` is true if the intervals leave other ranks possible, so that the order of rows with the same rank is not
    decided; null without a rank. `client` is what the player's program says about itself, and `kind` what the player
    claimed to be. An older server sends fewer fields after `rank_worst`.
    """

    player: Name
    client: ProgramText
    games: Count
    mean: Figure
    low: float | None
    high: float | None
    worst: Count
    solved: Figure
    p95_ms: Milliseconds
    mean_ms: Figure
    histogram: tuple[tuple[Count, Count], ...]
    rank: Rank | None
    rank_worst: Rank | None
    solved_low: Figure | None = None
    solved_high: Figure | None = None
    adjusted_mean: float | None = None
    adjusted_low: float | None = None
    adjusted_high: float | None = None
    adjusted_deviation: Figure | None = None
    adjusted_games: Count | None = None
    version: Number | None = None
    versions: Number | None = None
    all_games: Count | None = None
    all_matches: Count | None = None
    kind: PlayerKind | None = None
    place: Number | None = None
    undecided: bool | None = None


class Standings(Message):
    """The leaderboard of a ladder, best row first."""

    ladder: LadderId
    rules: Label
    codemaker: Codemaker
    guess_limit: Count
    rows: tuple[StandingsRow, ...]
