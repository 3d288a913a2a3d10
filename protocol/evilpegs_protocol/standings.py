"""The leaderboard of a ladder, as a server's site and `evilpegs leaderboard --json` write it."""

from typing import Annotated

from pydantic import Field

from evilpegs_protocol.fields import Codemaker, Count, Label, LadderId, Message, Milliseconds, Name, Number, ProgramText
from evilpegs_protocol.server_messages import PlayerKind

Figure = Annotated[float, Field(ge=0)]  # a measured number, which may have a fraction
Rank = Annotated[int, Field(ge=1)]


class StandingsRow(Message):
    """The results of one player with their latest client version; docs/json.md explains the fields.

    `client` is what the player's program says about itself. An older server sends fewer fields after `rank_worst`.
    `place` is for readers, who take it from `places`.
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
    undecided: bool | None = None
    score: float | None = None
    placed: bool | None = None
    place: Number | None = Field(default=None, exclude=True)


class Standings(Message):
    """The leaderboard of a ladder, best row first; an older server sends neither `places` nor numbers of games."""

    ladder: LadderId
    rules: Label
    codemaker: Codemaker
    guess_limit: Count
    ranked_from: Count | None = None
    placed_from: Count | None = None
    rows: tuple[StandingsRow, ...]
    places: tuple[Number, ...] = ()
