"""Players, matches with their event logs, and results, as read from the database, and the check of their hashes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import orjson
from sqlalchemy import Connection, bindparam, select, text

from evilpegs_protocol.record import GENESIS
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.sealing import UNSEALED
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.log.acts import FORMER_NAMES, load_bans, load_registration
from evilpegs_server.storage.log.players import FIRST_ADDED, Player, Players
from evilpegs_server.storage.log.tables import begun, events, matches, players
from evilpegs_server.storage.queries import Reader, read, read_value

# these name their columns, because finding out those of a text takes longer than most queries
_PLAYER: Final = select(players.c.id, players.c.name, players.c.kind).where(players.c.token_hash == bindparam("hash"))
_MATCH: Final = select(matches).where(matches.c.id == bindparam("match"))
_ENTRIES: Final = (
    select(events.c.seq, events.c.at, events.c.type, events.c.json, events.c.hash)
    .where(events.c.match == bindparam("match"))
    .order_by(events.c.seq)
)
_READY: Final = select(begun.c.game, begun.c.client_nonce).where(begun.c.match == bindparam("match"))
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


def load_players(database: Reader) -> Players:
    """Return all players who ever claimed a name, the guests with an open match, and what the operator decided."""
    loaded = Players()
    # other guests are loaded when they return, because most never do
    query = """
        SELECT id, name, kind, token_hash FROM players
        WHERE kind <> 'guest' OR id IN (SELECT player FROM matches WHERE NOT over)
    """
    for *player, token_hash in read(database, query):
        loaded.add(Player(*player), token_hash)
    # lower ids may belong to guests who are not in memory
    highest = read_value(database, "SELECT max(id) FROM players WHERE id < :first", first=FIRST_ADDED) or 0
    loaded.free_ids = range(highest + 1, FIRST_ADDED)
    for former, *player in read(database, FORMER_NAMES):
        loaded.reserve(former, Player(*player))
    loaded.bans, loaded.is_open = load_bans(database), load_registration(database)
    return loaded


def load_player(database: Reader, token_hash: str) -> Player | None:
    rows = read(database, _PLAYER, hash=token_hash)
    return Player(*rows[0]) if rows else None


def lapsed_tokens(database: Reader, before: int) -> list[str]:
    """Return the token hashes of names claimed before ``before`` that never played, without those the operator gave."""
    query = """
        SELECT token_hash FROM players WHERE kind <> 'guest' AND created_at < :before
        AND NOT EXISTS (SELECT 1 FROM matches WHERE matches.player = players.id)
        AND NOT EXISTS (SELECT 1 FROM acts WHERE acts.player = players.id AND act IN ('add', 'token'))
    """
    return [token_hash for (token_hash,) in read(database, query, before=before)]


def load_open_matches(
    database: Reader, skip: Callable[[str, DatabaseUnusableError], None] | None = None
) -> list[StoredMatch]:
    """Return every open match; ``skip`` gets those that cannot be read, else DatabaseUnusableError is raised."""
    stored = []
    with database.connect() as connection:
        for row in connection.execute(text("SELECT * FROM matches WHERE NOT over")).all():
            try:
                stored.append(_stored_match(connection, row))
            except DatabaseUnusableError as error:
                if skip is None:
                    raise
                skip(row.id, error)
    return stored


def load_match(database: Reader, match: str) -> StoredMatch | None:
    with database.connect() as connection:
        row = connection.execute(_MATCH, {"match": match}).one_or_none()
        return None if row is None else _stored_match(connection, row)


def _stored_match(connection: Connection, row: Any) -> StoredMatch:
    match = {"match": row.number}
    entries = [LogEntry(*event) for event in connection.execute(_ENTRIES, match)]
    ready = connection.execute(_READY, match)
    return StoredMatch(row.id, row.player, row.ladder, row.seed, bool(row.over), entries, dict(map(tuple, ready)))


def load_entries(database: Reader, match: str, last: int = NEWEST) -> list[LogEntry]:
    """Return the entries of a match up to the event with the id ``last``; none if it does not exist or is sealed."""
    query = f"""
        SELECT e.seq, e.at, e.type, e.json, e.hash FROM matches AS m JOIN events AS e ON e.match = m.number
        WHERE m.id = :match AND e.id <= :last AND {UNSEALED} ORDER BY e.seq
    """  # noqa: S608 - of constants
    return [LogEntry(*row) for row in read(database, query, match=match, last=last)]


def load_starts(database: Reader, of: Sequence[str]) -> dict[str, str]:
    query = """
        SELECT m.id, e.json FROM matches AS m JOIN events AS e ON e.match = m.number
        WHERE e.seq = 1 AND m.id IN (SELECT value FROM json_each(:matches))
    """
    return dict(map(tuple, read(database, query, matches=orjson.dumps(of).decode())))


def load_last_event_id(database: Reader) -> int:
    return int(read_value(database, "SELECT max(deleted, coalesce((SELECT max(id) FROM events), 0)) FROM log"))


def load_log_id(database: Reader) -> str:
    return str(read_value(database, "SELECT id FROM log"))


def newest_match_ids(database: Reader, prefix: str, count: int, *, with_sealed: bool) -> list[str]:
    query = f"""
        SELECT id FROM matches AS m WHERE substr(id, 1, :length) = :prefix AND (:with_sealed OR {UNSEALED})
        ORDER BY started_at DESC, id LIMIT :count
    """  # noqa: S608 - of constants
    wanted = {"length": len(prefix), "prefix": prefix, "with_sealed": with_sealed, "count": count}
    return [match for (match,) in read(database, query, **wanted)]


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
_HASH_LENGTH: Final = len(GENESIS)


def find_broken_matches(database: Reader, after: int, last: int) -> set[int]:
    """Return the `matches.number` of the matches broken at an event above ``after`` and up to ``last``."""
    # 2 microseconds per event
    limits = {"after": after, "last": last}
    with database.connect() as connection:
        links: bytes | None = connection.execute(_ALL_LINKS, limits).scalar_one()
        if links is None or all(_holds(link[:-_HASH_LENGTH], link[-_HASH_LENGTH:]) for link in links.split(b"\n")):
            return set()
        rows = connection.execute(_LINKS, limits).all()
    return {match for match, hashed, stored in rows if not _holds(hashed, stored)}


def _holds(hashed: bytes, stored: bytes) -> bool:
    return sha256(hashed).hexdigest().encode() == stored
