"""The leaderboard of a ladder, as the site of a server and `evilpegs leaderboard --json` write it."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias, TypeVar

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from evilpegs_protocol.fields import Codemaker, Count, Label, LadderId, Message, Milliseconds, Name, Number, ProgramText
from evilpegs_protocol.server_messages import PlayerKind

Figure = Annotated[float, Field(ge=0)]  # a measured number, which may have a fraction
Rank = Annotated[int, Field(ge=1)]
_T = TypeVar("_T")
Newer: TypeAlias = _T | SkipJsonSchema[None]
"""None from an older server only, so the description of the site does not say that it may be null."""


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

    player: Name
    client: ProgramText
    games: Count
    mean: Figure
    low: Newer[float]
    high: Newer[float]
    worst: Count
    solved: Figure
    p95_ms: Milliseconds
    mean_ms: Figure
    histogram: tuple[tuple[Count, Count], ...]
    rank: Rank | None = None
    rank_worst: Rank | None = None
    solved_low: Newer[Figure] = None
    solved_high: Newer[Figure] = None
    adjusted_mean: float | None = None
    adjusted_low: float | None = None
    adjusted_high: float | None = None
    adjusted_deviation: Figure | None = None
    adjusted_games: Count | None = None
    version: Newer[Number] = None
    versions: Newer[Number] = None
    all_games: Newer[Count] = None
    all_matches: Newer[Count] = None
    kind: Newer[PlayerKind] = None
    undecided: bool | None = None
    score: float | None = None
    placed: Newer[bool] = None


class LeaderboardDocument(Message):
    """The leaderboard of a ladder, best row first, as `evilpegs leaderboard --json` prints it.

    `places` has the place of each row among all players, from 1. A rank takes `ranked_from` games, a place
    `placed_from`; rows with fewer stand below all others, those with the most games first.
    """

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    ladder: LadderId
    rules: Label
    codemaker: Codemaker
    guess_limit: Count
    ranked_from: Newer[Count] = None
    placed_from: Newer[Count] = None
    rows: tuple[LeaderboardRow, ...]
    places: tuple[Number, ...] = Field(default_factory=tuple)  # empty from an older server

    def _repr_html_(self) -> str:
        from evilpegs_game.displays import html_table, show_bounds  # noqa: PLC0415 - loads NumPy, for notebooks only

        heads = "rank", "player", "client", "games", "score", "mean", "interval", "worst", "solved"
        rows = [
            (
                *(show_bounds((row.rank, row.rank_worst)), row.player, row.client, row.games),
                *(row.mean if row.score is None else row.score, row.mean, show_bounds((row.low, row.high))),
                *(row.worst, f"{row.solved:.0%}"),
            )
            for row in self.rows
        ]
        return html_table(f"{self.ladder}: {self.rules}, {self.codemaker}", heads, rows)
