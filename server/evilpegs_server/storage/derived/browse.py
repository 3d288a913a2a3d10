"""Lists of matches and players, page by page, and of open matches, without hidden players and sealed rounds.

Every page is ordered by columns of an index, and the columns of a filter are the first columns of that index. One index
seek per ladder therefore finds the rows of a page, for all filters and any number of matching rows; the page takes the
latest of them.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import orjson
from sqlalchemy import Connection, text

from evilpegs_protocol.fields import Count, LadderId, MatchId, Message, Milliseconds, Name, Outcome
from evilpegs_protocol.server_messages import PlayerKind
from evilpegs_server.sealing import SHOWN
from evilpegs_server.storage.derived.games import END_OF_TIME
from evilpegs_server.storage.log.look_alikes import stored_form
from evilpegs_server.storage.queries import Reader, read


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """The conditions of a list; ``before`` is the start and the id of the last match of the page before."""

    ladders: tuple[str, ...] | None = None
    player: str | None = None
    client: str | None = None
    since: int | None = None  # in Unix milliseconds
    before: tuple[int, str] | None = None
    # in no index, because open matches are few
    over: bool | None = None
    # of a player only, whose matches are all looked at; "longest" sorts them and has one page
    games: Literal["lost", "longest"] | None = None


class MatchEntry(Message):
    """A match in a list. `outcomes` and `guesses` have one entry for each game that is over, in order.

    `client` is the name and the version of the player's program, self-reported, which nobody checks. `elapsed_ms` is
    the time that the player took in these games. `over` is true if the match is over.
    """

    match: MatchId
    ladder: LadderId
    player: Name
    client: str
    started_at: Milliseconds
    over: bool
    outcomes: tuple[Outcome, ...]
    guesses: tuple[Count, ...]
    elapsed_ms: Milliseconds


class PlayerEntry(Message):
    """A player. `created_at` is the time at which the server first stored the player."""

    name: Name
    kind: PlayerKind
    created_at: Milliseconds


def list_matches(database: Reader, wanted: MatchFilter, limit: int) -> list[MatchEntry]:
    """Return the matches with the latest start first; among equal starts, with the highest number first."""
    with database.connect() as connection:
        numbers = orjson.dumps(_page(connection, wanted, limit)).decode()
        games: dict[int, list[tuple[str, int, int]]] = {}
        for match, *game in connection.execute(_GAMES, {"matches": numbers}):
            games.setdefault(match, []).append(tuple(game))
        return [
            _entry(match, games.get(match.number, []))
            for match in connection.execute(_MATCHES, {"matches": numbers}).all()
        ]


def find_player(database: Reader, name: str) -> PlayerEntry | None:
    rows = read(database, f"{_PLAYERS} AND name = :name", name=stored_form(name))
    return PlayerEntry(**rows[0]._asdict()) if rows else None


def list_shown_players(database: Reader, after_name: str = "", limit: int = 100) -> list[PlayerEntry]:
    rows = read(database, f"{_PLAYERS} AND name > :after ORDER BY name LIMIT :limit", after=after_name, limit=limit)
    return [PlayerEntry(**row._asdict()) for row in rows]


def _entry(match: Any, games: list[tuple[str, int, int]]) -> MatchEntry:
    outcomes, guesses, times = zip(*games, strict=True) if games else ((), (), ())
    of_games = {"outcomes": outcomes, "guesses": guesses, "elapsed_ms": sum(times)}
    return MatchEntry(**match._asdict() | of_games | {"over": bool(match.over)})


def _page(connection: Connection, wanted: MatchFilter, limit: int) -> list[int]:
    player, at, number = None, END_OF_TIME, END_OF_TIME
    if wanted.player is not None:
        player = connection.execute(_PLAYER_ID, {"name": stored_form(wanted.player)}).scalar()
    if wanted.before is not None:
        at, match = wanted.before
        number = connection.execute(_NUMBER, {"match": match}).scalar() or 0  # 0 if it was forgotten since
    parameters = {
        "player": player,
        "client": wanted.client,
        "over": wanted.over,
        "since": wanted.since or 0,
        "at": at,
        "number": number,
        "limit": limit,
    }
    columns = [column for column in ("player", "client", "over") if getattr(wanted, column) is not None]
    ladders: list[str | None] = [None]  # all ladders at once
    if (wanted.ladders, wanted.player, wanted.client) != (None, None, None):
        columns.append("ladder")
        stored = connection.execute(_ALL_LADDERS).scalars()
        ladders = [ladder for ladder in stored if wanted.ladders is None or ladder in wanted.ladders]
    query = text(
        _LADDER_PAGE.format(
            length=_LENGTH if wanted.games == "longest" else "NULL",
            order="1 DESC, 2 DESC, 3 DESC" if wanted.games == "longest" else "started_at DESC, number DESC",
            conditions="".join(f"{column} = :{column} AND " for column in columns),
            shown=SHOWN + (_LOST if wanted.games == "lost" else ""),
        )
    )
    found = [row for each in ladders for row in connection.execute(query, parameters | {"ladder": each}).all()]
    found.sort(key=lambda row: (row[0] or 0, row[1], row[2]), reverse=True)
    return [number for *_, number in found[:limit]]


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

# a match without games comes among those of no guess: the newest first, as in the whole list
_LENGTH: Final = """coalesce(
    (SELECT max(guesses + (outcome <> 'solved')) FROM games WHERE match = m.number AND outcome <> 'void'), 0)"""
_LOST: Final = " AND EXISTS (SELECT 1 FROM games WHERE match = m.number AND outcome NOT IN ('solved', 'void'))"
_LADDER_PAGE: Final = """
    SELECT {length}, started_at, number FROM matches AS m
    WHERE {conditions} started_at BETWEEN :since AND :at AND (started_at, number) < (:at, :number)
        AND {shown}
    ORDER BY {order} LIMIT :limit
"""
_MATCHES: Final = text(
    """
    SELECT m.number, m.id AS match, m.ladder, p.name AS player, m.client, m.started_at, m.over
    FROM json_each(:matches) AS chosen
    CROSS JOIN matches AS m ON m.number = chosen.value CROSS JOIN players AS p ON p.id = m.player ORDER BY chosen.key
    """
)
_GAMES: Final = text(
    """
    SELECT g.match, g.outcome, g.guesses, g.elapsed_ms FROM json_each(:matches) AS chosen
    CROSS JOIN games AS g ON g.match = chosen.value WHERE g.outcome IS NOT NULL ORDER BY g.match, g.game
    """
)
_PLAYER_ID: Final = text("SELECT id FROM players WHERE name = :name")
_NUMBER: Final = text("SELECT number FROM matches WHERE id = :match")
_PLAYERS: Final = "SELECT name, kind, created_at FROM players WHERE id NOT IN (SELECT player FROM hidden)"


class OpenMatchRow(NamedTuple):
    match: str
    ladder: str
    player: str
    client: Any
    """Name and version, as in `match_started`."""
    started_at: int
    newest: str
    """The JSON text of the newest event."""
    last_begun: int
    """The last game for which the player was ready, 0 before the first."""


# 30 ms for 4,000 open matches
_OPEN: Final = f"""
    SELECT * FROM (
        SELECT m.id, m.ladder, p.name,
            (SELECT json_extract(e.json, '$.client') FROM events AS e WHERE e.match = m.number AND e.seq = 1),
            m.started_at,
            (SELECT e.json FROM events AS e WHERE e.match = m.number AND e.id <= :last ORDER BY e.seq DESC LIMIT 1)
                AS newest,
            coalesce((SELECT max(b.game) FROM begun AS b WHERE b.match = m.number), 0)
        FROM matches AS m JOIN players AS p ON p.id = m.player
        WHERE NOT m.over AND {SHOWN} ORDER BY m.number)
    WHERE newest IS NOT NULL
"""  # noqa: S608 - of constants


def list_open_matches(database: Reader, last_event: int) -> list[OpenMatchRow]:
    """Return the open matches in the order of their start, as they are after the event with the id ``last_event``."""
    rows = map(OpenMatchRow._make, read(database, _OPEN, last=last_event))
    return [row._replace(client=orjson.loads(row.client)) for row in rows]
