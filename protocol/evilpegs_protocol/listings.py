"""The messages with which a server lists finished matches, or the rows of a leaderboard.

Both come in pages, so that each fits into one message. For the next page, a client sends the last match of this one, or
the number of the next page.
"""

from typing import Annotated, Final, Literal

from pydantic import Field

from evilpegs_protocol.fields import (
    Codemaker,
    Count,
    Label,
    LadderId,
    MatchId,
    Message,
    Milliseconds,
    Name,
    Number,
    Outcome,
    ProgramText,
    ServerMessage,
)

MATCHES_PER_PAGE: Final = 50
ROWS_PER_PAGE: Final = 500

Figure = Annotated[float, Field(ge=0)]
"""A measured number, which may have a fraction."""
Rank = Annotated[int, Field(ge=1)]


class FinishedMatch(Message):
    """A match that is over.

    `client` is the name and the version of the player's program, `started_at` is Unix time in milliseconds, and
    `elapsed_ms` is the time that the player took, in milliseconds. `outcomes` says how each game ended, and `guesses`
    has the number of guesses in each game; both are in the order of the games.
    """

    match: MatchId
    ladder: LadderId
    player: Name
    client: ProgramText
    started_at: Milliseconds
    outcomes: tuple[Outcome, ...]
    guesses: tuple[Count, ...]
    elapsed_ms: Milliseconds


class MatchList(ServerMessage):
    """A page of finished matches, the latest start first. `more` is true if matches with an earlier start follow."""

    type: Literal["matches"] = "matches"
    matches: tuple[FinishedMatch, ...]
    more: bool


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
    count the games and the started matches of all versions. An older server sends no fields after `rank_worst`.
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


class Standings(ServerMessage):
    """One page of the leaderboard of a ladder, best row first.

    `page` is the number of this page, from 1, and `pages` the number of all pages. A page after the last has no rows.
    """

    type: Literal["standings"] = "standings"
    ladder: LadderId
    rules: Label
    codemaker: Codemaker
    guess_limit: Count
    rows: tuple[StandingsRow, ...]
    page: Number
    pages: Number
