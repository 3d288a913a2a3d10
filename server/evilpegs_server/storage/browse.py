"""Lists of matches and players, page by page.

Every list is ordered by columns of an index, and the columns of a filter are the first columns of that index. One index
seek per ladder therefore finds the rows of a page, for all filters and any number of matching rows; the page takes the
latest of them. The database returns each page as one JSON text, for the reason that `games` gives.
"""

from dataclasses import dataclass
from typing import Any, Final

import orjson
from sqlalchemy import Connection, Engine, TextClause, text

from evilpegs_server.storage.players import PlayerKind


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """The conditions of a list; ``before`` is the number of the last match of the page before."""

    ladders: tuple[str, ...] | None = None
    player: str | None = None
    client: str | None = None
    since: int | None = None  # in Unix milliseconds
    before: int | None = None
    # in no index, because open matches are few
    over: bool | None = None


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match in a list; ``outcomes``, ``guesses`` and ``elapsed_ms`` are those of its finished games."""

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
    id: int
    name: str
    kind: PlayerKind
    created_at: int


def list_matches(engine: Engine, wanted: MatchFilter, limit: int) -> list[ListedMatch]:
    """Return the matches with the latest start first; among equal starts, with the highest number first."""
    with engine.connect() as connection:
        ladders = _ladders(connection, wanted)
        if not ladders:
            return []
        query, names = _page_query(wanted, len(ladders)), enumerate(ladders)
        parameters = _page_parameters(connection, wanted) | {f"ladder{index}": ladder for index, ladder in names}
        rows = orjson.loads(connection.execute(query, parameters | {"limit": limit}).scalar_one())
    summaries = [_summary(*row) for row in rows]
    return sorted(summaries, key=lambda match: (match.started_at, match.number), reverse=True)


def find_player(engine: Engine, name: str) -> StoredPlayer | None:
    with engine.connect() as connection:
        row = connection.execute(_PLAYER, {"name": name}).one_or_none()
    return None if row is None else StoredPlayer(*row)


def list_players(engine: Engine, after_name: str = "", limit: int = 100) -> list[StoredPlayer]:
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
    if (wanted.ladders, wanted.player, wanted.client) == (None, None, None):
        return [None]  # all ladders at once
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
    by_ladder = (wanted.ladders, wanted.player, wanted.client) != (None, None, None)
    conditions = "".join(
        f"{column} = :{column} AND " for column in ("player", "client", "over") if getattr(wanted, column) is not None
    )
    members = (
        _LADDER_PAGE.format(conditions=(f"ladder = :ladder{index} AND " if by_ladder else "") + conditions)
        for index in range(ladders)
    )
    return text(_PAGE.format(members=" UNION ALL ".join(members)))


# greater than all times and all numbers of matches
_END_OF_TIME: Final = 2**63 - 1

# one index seek per ladder
_ALL_LADDERS: Final = text(
    """
    WITH RECURSIVE found(ladder) AS (
        SELECT min(ladder) FROM matches
        UNION ALL SELECT (SELECT min(ladder) FROM matches WHERE ladder > found.ladder) FROM found
        WHERE found.ladder IS NOT NULL)
    SELECT ladder FROM found WHERE ladder IS NOT NULL
    """
)

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
_START: Final = text("SELECT started_at FROM matches WHERE number >= :number ORDER BY number LIMIT 1")
_PLAYER: Final = text("SELECT id, name, kind, created_at FROM players WHERE name = :name")
_PLAYERS: Final = text(
    """
    SELECT json_group_array(json_array(id, name, kind, created_at)) FROM (
        SELECT id, name, kind, created_at FROM players WHERE name > :after ORDER BY name LIMIT :limit)
    """
)
