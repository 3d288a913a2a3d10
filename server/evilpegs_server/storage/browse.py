"""Lists of matches and players, page by page.

Every list is ordered by columns of an index, and the columns of a filter are the first columns of that index. One index
seek per ladder therefore finds the rows of a page, for all filters and any number of matching rows. The database
returns each page as one JSON text; the docstring of `game_sums` gives the reason.
"""

from dataclasses import dataclass
from typing import Any, Final

import orjson
from sqlalchemy import Connection, Engine, TextClause, text

from evilpegs_server.storage.players import PlayerKind


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """The conditions that listed matches fulfill. A condition that is None holds for all matches.

    ``ladders`` has the ids of ladders, ``player`` is the name of a player, and ``client`` the name and version of a
    client. ``since`` is the earliest start in Unix milliseconds. ``before`` is the number of a match, its place in the
    order in which matches were stored. Lists begin with the latest start, and only matches after that match are
    included, so the number of the last match of a page leads to the next page. ``over`` is True for finished matches
    and False for open matches. No index needs the column `over`, because open matches are few.
    """

    ladders: tuple[str, ...] | None = None
    player: str | None = None
    client: str | None = None
    since: int | None = None
    before: int | None = None
    over: bool | None = None


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match in a list.

    ``number`` counts matches in the order in which they were stored, and ``match`` is the public id. ``ladder`` is an
    id, ``player`` a name, and ``client`` the name and version of the client. ``started_at`` is in Unix milliseconds.
    ``outcomes`` and ``guesses`` have one entry per finished game, in the order of the games: its outcome and its number
    of guesses. ``elapsed_ms`` is the total time of these games in milliseconds.
    """

    number: int
    match: str
    ladder: str
    player: str
    client: str
    started_at: int
    over: bool
    outcomes: tuple[str, ...]
    guesses: tuple[int, ...]
    elapsed_ms: int


@dataclass(frozen=True, slots=True)
class StoredPlayer:
    """A player as stored in the database; ``created_at`` is the time of their registration in Unix milliseconds."""

    id: int
    name: str
    kind: PlayerKind
    created_at: int


def list_matches(engine: Engine, wanted: MatchFilter, limit: int) -> list[ListedMatch]:
    """Return at most ``limit`` matches that fulfill the conditions ``wanted``, the latest start first.

    Matches with the same start are ordered by number, the highest first.
    """
    with engine.connect() as connection:
        ladders = _ladders(connection, wanted)
        if not ladders:
            return []
        query, names = _page_query(wanted, len(ladders)), enumerate(ladders)
        parameters = _page_parameters(connection, wanted) | {f"ladder{index}": ladder for index, ladder in names}
        rows = orjson.loads(connection.execute(query, parameters | {"limit": limit}).scalar_one())
    summaries = [_summary(*row) for row in rows]
    return sorted(summaries, key=lambda match: (match.started_at, match.number), reverse=True)


def find_match_number(engine: Engine, match: str) -> int | None:
    """Return the number of the match with the id ``match``, or None if there is no match with this id.

    The number is the place of the match in the order in which matches were stored.
    """
    with engine.connect() as connection:
        number: int | None = connection.execute(_MATCH_NUMBER, {"match": match}).scalar()
    return number


def find_player(engine: Engine, name: str) -> StoredPlayer | None:
    """Return the stored player with the given name, or None if no player has it."""
    with engine.connect() as connection:
        row = connection.execute(_PLAYER, {"name": name}).one_or_none()
    return None if row is None else StoredPlayer(*row)


def list_players(engine: Engine, after_name: str = "", limit: int = 100) -> list[StoredPlayer]:
    """Return at most ``limit`` players whose names come after ``after_name``, ordered by name."""
    with engine.connect() as connection:
        rows = orjson.loads(connection.execute(_PLAYERS, {"after": after_name, "limit": limit}).scalar_one())
    return sorted((StoredPlayer(*row) for row in rows), key=lambda player: player.name)


def _summary(
    number: int, match: str, ladder: str, player: str, client: str, started_at: int, over: int, games: list[Any]
) -> ListedMatch:
    finished = sorted(games)
    return ListedMatch(
        number=number,
        match=match,
        ladder=ladder,
        player=player,
        client=client,
        started_at=started_at,
        over=bool(over),
        outcomes=tuple(outcome for _, outcome, _, _ in finished),
        guesses=tuple(guesses for _, _, guesses, _ in finished),
        elapsed_ms=sum(elapsed_ms for _, _, _, elapsed_ms in finished),
    )


def _ladders(connection: Connection, wanted: MatchFilter) -> list[str | None]:
    """Return the ids of the wanted ladders that have matches.

    If no condition on ladders, player or client restricts the list, return a list with a single None, which stands for
    all ladders.
    """
    if (wanted.ladders, wanted.player, wanted.client) == (None, None, None):
        return [None]
    stored = connection.execute(_ALL_LADDERS).scalars()
    return [ladder for ladder in stored if wanted.ladders is None or ladder in wanted.ladders]


def _page_parameters(connection: Connection, wanted: MatchFilter) -> dict[str, Any]:
    player, at = None, None
    if wanted.player is not None:
        player = connection.execute(_PLAYER_ID, {"name": wanted.player}).scalar()
    if wanted.before is not None:
        at = connection.execute(_START, {"number": wanted.before}).scalar()
    return {
        "player": player,
        "client": wanted.client,
        "over": wanted.over,
        "since": wanted.since or 0,
        "at": _END_OF_TIME if at is None else at,
        "number": _END_OF_TIME if wanted.before is None else wanted.before,
    }


def _page_query(wanted: MatchFilter, ladders: int) -> TextClause:
    """Return the query of a page of matches.

    ``ladders`` is the number of wanted ladders. The parameters of the query are those of `_page_parameters`, ``limit``,
    and the ids of the ladders as ``ladder0``, ``ladder1`` and so on. The query takes the latest matches of each ladder
    from an index, and then the latest of all these matches.
    """
    by_ladder = (wanted.ladders, wanted.player, wanted.client) != (None, None, None)
    conditions = "".join(
        f"{column} = :{column} AND " for column in ("player", "client", "over") if getattr(wanted, column) is not None
    )
    members = (
        _LADDER_PAGE.format(conditions=(f"ladder = :ladder{index} AND " if by_ladder else "") + conditions)
        for index in range(ladders)
    )
    return text(_PAGE.format(members=" UNION ALL ".join(members)))


_END_OF_TIME: Final = 2**63 - 1
"""A number greater than all times and all numbers of matches."""

_ALL_LADDERS: Final = text(
    """
    WITH RECURSIVE found(ladder) AS (
        SELECT min(ladder) FROM matches
        UNION ALL SELECT (SELECT min(ladder) FROM matches WHERE ladder > found.ladder) FROM found
        WHERE found.ladder IS NOT NULL)
    SELECT ladder FROM found WHERE ladder IS NOT NULL
    """
)
"""The query for the ids of all ladders that have matches, which needs one index seek per ladder."""

_LADDER_PAGE: Final = """
    SELECT * FROM (SELECT started_at, number FROM matches
        WHERE {conditions} started_at BETWEEN :since AND :at AND (started_at, number) < (:at, :number)
        ORDER BY started_at DESC, number DESC LIMIT :limit)
"""
_PAGE: Final = """
    SELECT json_group_array(json_array(m.number, m.id, m.ladder, p.name, m.client, m.started_at, m.over, json((
        SELECT json_group_array(json_array(g.game, g.outcome, g.guesses, g.elapsed_ms))
        FROM games AS g WHERE g.match = m.number AND g.outcome IS NOT NULL))))
    FROM (SELECT number FROM ({members}) ORDER BY started_at DESC, number DESC LIMIT :limit) AS chosen
    CROSS JOIN matches AS m ON m.number = chosen.number
    CROSS JOIN players AS p ON p.id = m.player
"""

_PLAYER_ID: Final = text("SELECT id FROM players WHERE name = :name")
_MATCH_NUMBER: Final = text("SELECT number FROM matches WHERE id = :match")
_START: Final = text("SELECT started_at FROM matches WHERE number >= :number ORDER BY number LIMIT 1")
_PLAYER: Final = text("SELECT id, name, kind, created_at FROM players WHERE name = :name")
_PLAYERS: Final = text(
    """
    SELECT json_group_array(json_array(id, name, kind, created_at)) FROM (
        SELECT id, name, kind, created_at FROM players WHERE name > :after ORDER BY name LIMIT :limit)
    """
)
