"""What is read back from the database: players, open matches, whole records."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, select

from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.storage.players import Player, PlayerKind, Players
from evilpegs_server.storage.tables import events, games, matches, players


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as it is in the database. ``client_nonces`` has a key for each game that was begun or is over."""

    id: str
    player: int
    ladder: str
    seed: bytes = field(repr=False)
    over: bool
    entries: list[LogEntry]
    client_nonces: Mapping[int, str | None] = field(repr=False)


def load_players(engine: Engine) -> Players:
    """Everyone who ever claimed a name or was given one."""
    known = Players()
    with engine.connect() as connection:
        for row in connection.execute(select(players)):
            kind: PlayerKind = row.kind
            known.add(Player(row.id, row.name, kind), row.token_hash)
    return known


def load_open_matches(engine: Engine) -> list[StoredMatch]:
    """Every match that is not over."""
    with engine.connect() as connection:
        rows = connection.execute(select(matches).where(~matches.c.over)).all()
        return [_stored(connection, row) for row in rows]


def load_match(engine: Engine, match: str) -> StoredMatch | None:
    """One match, None if there is none of that id."""
    with engine.connect() as connection:
        row = connection.execute(select(matches).where(matches.c.id == match)).one_or_none()
        return None if row is None else _stored(connection, row)


def load_event_texts(engine: Engine, ladders: Iterable[str] | None = None) -> Iterator[str]:
    """The JSON of every event, match by match in the order they began; only of ``ladders`` if given."""
    query = (
        select(events.c.json)
        .join(matches, matches.c.number == events.c.match)
        .order_by(matches.c.started_at, events.c.match, events.c.seq)
    )
    if ladders is not None:
        query = query.where(matches.c.ladder.in_(list(ladders)))
    with engine.connect() as connection:
        yield from connection.execution_options(yield_per=1000).execute(query).scalars()


def match_ids_with_prefix(engine: Engine, prefix: str) -> list[str]:
    """The ids of matches whose id begins so, at most ten."""
    query = select(matches.c.id).where(matches.c.id.startswith(prefix, autoescape=True)).limit(10)
    with engine.connect() as connection:
        return list(connection.execute(query).scalars())


def newest_match_ids(engine: Engine, count: int) -> list[str]:
    """The ids of the matches begun last, newest first."""
    query = select(matches.c.id).order_by(matches.c.started_at.desc(), matches.c.id).limit(count)
    with engine.connect() as connection:
        return list(connection.execute(query).scalars())


def _stored(connection: Connection, row: Any) -> StoredMatch:
    found = connection.execute(select(events).where(events.c.match == row.number).order_by(events.c.seq))
    entries = [LogEntry(e.seq, e.at, e.type, e.json, e.hash) for e in found]
    begun = connection.execute(select(games.c.game, games.c.client_nonce).where(games.c.match == row.number))
    nonces = {game: nonce for game, nonce in begun}  # noqa: C416 - rows are not pairs
    return StoredMatch(row.id, row.player, row.ladder, row.seed, row.over, entries, nonces)
