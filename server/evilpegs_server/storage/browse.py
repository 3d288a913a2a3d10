"""Reading lists of matches and players, page by page."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, Row, Select, select

from evilpegs_server.storage.players import PlayerKind
from evilpegs_server.storage.tables import games, matches, players


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """The matches that are wanted; None admits all. ``since`` is in Unix milliseconds, ``before`` excludes a number."""

    ladders: tuple[str, ...] | None = None
    player: str | None = None
    client: str | None = None
    since: int | None = None
    before: int | None = None


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A match in a list. Games that are not over have no outcome."""

    number: int
    id: str
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
    """A player in a list; ``created_at`` is in Unix milliseconds."""

    name: str
    kind: PlayerKind
    created_at: int


def list_matches(engine: Engine, wanted: MatchFilter, limit: int) -> list[MatchSummary]:
    """Return at most ``limit`` matches, newest first."""
    query = _filtered(wanted).order_by(matches.c.number.desc()).limit(limit)
    with engine.connect() as connection:
        rows = connection.execute(query).all()
        return [_summary(row, connection.execute(_games_of(row.number)).all()) for row in rows]


def _filtered(wanted: MatchFilter) -> Select[Any]:
    query = select(matches, players.c.name).join(players, players.c.id == matches.c.player)
    if wanted.ladders is not None:
        query = query.where(matches.c.ladder.in_(wanted.ladders))
    if wanted.player is not None:
        query = query.where(players.c.name == wanted.player)
    if wanted.client is not None:
        query = query.where(matches.c.client == wanted.client)
    if wanted.since is not None:
        query = query.where(matches.c.started_at >= wanted.since)
    if wanted.before is not None:
        query = query.where(matches.c.number < wanted.before)
    return query


def _games_of(match: int) -> Select[Any]:
    return select(games).where(games.c.match == match, games.c.outcome.is_not(None)).order_by(games.c.game)


def _summary(row: Row[Any], over: Any) -> MatchSummary:
    return MatchSummary(
        number=row.number,
        id=row.id,
        ladder=row.ladder,
        player=row.name,
        client=row.client,
        started_at=row.started_at,
        over=row.over,
        outcomes=tuple(game.outcome for game in over),
        guesses=tuple(game.guesses for game in over),
        elapsed_ms=sum(game.elapsed_ms for game in over),
    )


def find_player(engine: Engine, name: str) -> StoredPlayer | None:
    """Return the player with this name, or None if there is none."""
    with engine.connect() as connection:
        row = connection.execute(select(players).where(players.c.name == name)).one_or_none()
        return None if row is None else StoredPlayer(row.name, row.kind, row.created_at)


def list_players(engine: Engine, after: str | None, limit: int) -> list[StoredPlayer]:
    """Return at most ``limit`` players whose names follow ``after``, in the order of their names."""
    query = select(players).where(players.c.name > (after or "")).order_by(players.c.name).limit(limit)
    with engine.connect() as connection:
        return [StoredPlayer(row.name, row.kind, row.created_at) for row in connection.execute(query)]
