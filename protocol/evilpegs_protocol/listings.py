"""Listings of a server for anyone who asks: pages of finished matches, and the rows of a leaderboard.

Both answers are bounded, so that each fits into one message. A client that wants more asks again: for the matches
after the last one of a page, or for the next page of rows.
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
"""The most matches in one answer to `list`."""
ROWS_PER_PAGE: Final = 500
"""The most rows in one answer to `standings`."""

Figure = Annotated[float, Field(ge=0)]
"""A measured number, which may have a fraction."""
Rank = Annotated[int, Field(ge=1)]


class FinishedMatch(Message):
    """A match that is over; `outcomes` and `guesses` have an entry per game, `elapsed_ms` is the time of the player."""

    match: MatchId
    ladder: LadderId
    player: Name
    client: ProgramText
    started_at: Milliseconds
    outcomes: tuple[Outcome, ...]
    guesses: tuple[Count, ...]
    elapsed_ms: Milliseconds


class MatchList(ServerMessage):
    """A page of finished matches, newest start first; `more` is true if older ones follow."""

    type: Literal["matches"] = "matches"
    matches: tuple[FinishedMatch, ...]
    more: bool


class StandingsRow(Message):
    """The results of one player with their latest client version.

    `low` and `high` bound the mean, `solved_low` and `solved_high` the share of solved games, and `adjusted_low` and
    `adjusted_high` the mean of the luck-adjusted scores, with `adjusted_deviation` as the standard deviation of one of
    the `adjusted_games`. They are null where the ladder has no such scores or there are too few games. `rank` and
    `rank_worst` are null without a rank. `histogram` lists each score with the number of games that had it. `version`
    is the number of the client version among the player's `versions`; `all_games` and `all_matches` count the games
    and the started matches of all versions. An older server sends no fields after `rank_worst`.
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
    """The leaderboard of a ladder, best row first; of one with several `pages` only the rows of `page`."""

    type: Literal["standings"] = "standings"
    ladder: LadderId
    rules: Label
    codemaker: Codemaker
    guess_limit: Count
    rows: tuple[StandingsRow, ...]
    page: Number
    pages: Number
