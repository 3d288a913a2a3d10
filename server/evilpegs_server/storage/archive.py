"""Players, matches with their event logs, and results, as read from the database, and the check of their hashes."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Connection, Engine, exists, func, select, text

from evilpegs_protocol.record import GENESIS
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.players import Player, PlayerKind, Players
from evilpegs_server.storage.tables import begun, cursors, events, log, matches, players

NEWEST: Final = 2**63 - 1
"""Above the ids of all events."""


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as stored; ``client_nonces`` has each game that has begun, by number."""

    id: str
    player: int
    ladder: str
    seed: bytes = field(repr=False)
    over: bool
    entries: list[LogEntry]
    client_nonces: Mapping[int, str | None] = field(repr=False)


def load_players(engine: Engine, lapsed_before: int | None = None) -> Players:
    """Return all players who ever claimed a name, and the guests with an open match.

    A name claimed before ``lapsed_before``, in Unix milliseconds, and never used stays reserved without its token.
    """
    loaded = Players()
    # other guests are loaded when they return, because most never do
    open_matches = select(matches.c.player).where(~matches.c.over)
    wanted = select(players).where((players.c.kind != "guest") | players.c.id.in_(open_matches))
    with engine.connect() as connection:
        for row in connection.execute(wanted):
            loaded.add(_player(row), row.token_hash)
        loaded.skip_ids(connection.execute(select(func.max(players.c.id))).scalar() or 0)
    for token_hash in [] if lapsed_before is None else lapsed_tokens(engine, lapsed_before):
        loaded.lapse(token_hash)
    return loaded


def load_player(engine: Engine, token_hash: str) -> Player | None:
    with engine.connect() as connection:
        row = connection.execute(select(players).where(players.c.token_hash == token_hash)).one_or_none()
    return None if row is None else _player(row)


def lapsed_tokens(engine: Engine, before: int) -> list[str]:
    """Return the token hashes of players, guests excepted, whose name is older than ``before`` and was never played."""
    query = select(players.c.token_hash).where(
        players.c.kind != "guest",
        players.c.created_at < before,
        ~exists().where(matches.c.player == players.c.id),
    )
    with engine.connect() as connection:
        return list(connection.execute(query).scalars())


def _player(row: Any) -> Player:
    kind: PlayerKind = row.kind
    return Player(row.id, row.name, kind)


def load_open_matches(
    engine: Engine, skip: Callable[[str, DatabaseUnusableError], None] | None = None
) -> list[StoredMatch]:
    """Return every open match; ``skip`` gets those that cannot be read, else DatabaseUnusableError is raised."""
    stored = []
    with engine.connect() as connection:
        for row in connection.execute(select(matches).where(~matches.c.over)).all():
            try:
                stored.append(_stored_match(connection, row))
            except DatabaseUnusableError as error:
                if skip is None:
                    raise
                skip(row.id, error)
    return stored


def load_match(engine: Engine, match: str) -> StoredMatch | None:
    with engine.connect() as connection:
        row = connection.execute(select(matches).where(matches.c.id == match)).one_or_none()
        return None if row is None else _stored_match(connection, row)


def load_entries(engine: Engine, match: str, last: int = NEWEST) -> list[LogEntry]:
    """Return the entries of a match up to the event with the id ``last``; none if there is no such match."""
    query = (
        select(events)
        .join(matches, matches.c.number == events.c.match)
        .where(matches.c.id == match, events.c.id <= last)
        .order_by(events.c.seq)
    )
    with engine.connect() as connection:
        return [_log_entry(row) for row in connection.execute(query)]


def load_starts(engine: Engine, of: Collection[str]) -> dict[str, str]:
    """Return the JSON texts of the first events of matches, by match."""
    query = select(matches.c.id, events.c.json).join(events, events.c.match == matches.c.number)
    with engine.connect() as connection:
        rows = connection.execute(query.where(events.c.seq == 1, matches.c.id.in_(of)))
        return {match: started for match, started in rows}  # noqa: C416 - rows are not pairs


def load_last_event_id(engine: Engine) -> int:
    with engine.connect() as connection:
        return connection.execute(select(func.max(events.c.id))).scalar() or 0


def load_log_id(engine: Engine) -> str:
    """Return the random id of the log, which a copy of the database keeps."""
    with engine.connect() as connection:
        return str(connection.execute(select(log.c.id)).scalar_one())


def load_cursor(engine: Engine, reader: str) -> int | None:
    with engine.connect() as connection:
        return connection.execute(select(cursors.c.event).where(cursors.c.reader == reader)).scalar()


def match_ids_with_prefix(engine: Engine, prefix: str) -> list[str]:
    """Return at most ten ids, in no particular order."""
    query = select(matches.c.id).where(matches.c.id.startswith(prefix, autoescape=True)).limit(10)
    with engine.connect() as connection:
        return list(connection.execute(query).scalars())


def newest_match_ids(engine: Engine, count: int) -> list[str]:
    query = select(matches.c.id).order_by(matches.c.started_at.desc(), matches.c.id).limit(count)
    with engine.connect() as connection:
        return list(connection.execute(query).scalars())


def _stored_match(connection: Connection, row: Any) -> StoredMatch:
    rows = connection.execute(select(events).where(events.c.match == row.number).order_by(events.c.seq))
    entries = [_log_entry(row) for row in rows]
    ready = connection.execute(select(begun.c.game, begun.c.client_nonce).where(begun.c.match == row.number))
    nonces = {game: nonce for game, nonce in ready}  # noqa: C416 - rows are not pairs
    return StoredMatch(row.id, row.player, row.ladder, row.seed, row.over, entries, nonces)


def _log_entry(row: Any) -> LogEntry:
    return LogEntry(row.seq, row.at, row.type, row.json, row.hash)


# The hash of an event covers its text and the hash of the event before it in the match, so each event can be checked
# alone, in any order. SQLite has no SHA-256. It returns all texts of a range of events in one value, because the driver
# releases the interpreter lock at each row and has to compete with the event loop for it.
_EVENTS: Final = """
    FROM events AS e LEFT JOIN events AS before ON before.match = e.match AND before.seq = e.seq - 1
    WHERE e.rowid > :after AND e.rowid <= :last
"""
_HASHED: Final = f"coalesce(before.hash, '{GENESIS}') || e.json"
_ALL_LINKS: Final = text(f"SELECT CAST(group_concat({_HASHED} || e.hash, char(10)) AS BLOB) {_EVENTS}")
_LINKS: Final = text(f"SELECT e.match, CAST({_HASHED} AS BLOB), CAST(e.hash AS BLOB) {_EVENTS}")
# the rowid is the id of an event; the first tables had no column `id`
_LAST: Final = text("SELECT max(rowid) FROM events")
_HASH_LENGTH: Final = len(GENESIS)


# larger chunks would hold the interpreter lock for too long
CHUNK: Final = 4_000


def verify_chains(engine: Engine) -> Iterator[tuple[int, set[int]]]:
    """Verify all stored events; yield the thousandths done and the `matches.number` of matches found broken."""
    with engine.connect() as connection:
        last: int = connection.execute(_LAST).scalar() or 0
    for after in range(0, last, CHUNK):
        end = min(after + CHUNK, last)
        yield 1000 * end // last, find_broken_matches(engine, after, end)


def find_broken_matches(engine: Engine, after: int, last: int) -> set[int]:
    """Return the `matches.number` of the matches broken at an event above ``after`` and up to ``last``."""
    # 2 microseconds per event
    limits = {"after": after, "last": last}
    with engine.connect() as connection:
        links: bytes | None = connection.execute(_ALL_LINKS, limits).scalar_one()
        if links is None or all(_holds(link[:-_HASH_LENGTH], link[-_HASH_LENGTH:]) for link in links.split(b"\n")):
            return set()
        rows = connection.execute(_LINKS, limits).all()
    return {match for match, hashed, stored in rows if not _holds(hashed, stored)}


def _holds(hashed: bytes, stored: bytes) -> bool:
    return sha256(hashed).hexdigest().encode() == stored
