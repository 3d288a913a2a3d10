"""The writes of a server: one function per fact, whose result `Writer.submit` stores."""

from typing import Final

from evilpegs_protocol.fields import Program
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.record.recorder import Changes
from evilpegs_server.storage.players import Player, skeleton
from evilpegs_server.storage.writer import Write

_PLAYER: Final = """
    INSERT INTO players (id, name, skeleton, kind, token_hash, created_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
"""
_MATCH: Final = "INSERT INTO matches (id, player, ladder, seed, started_at, over, client) VALUES (?, ?, ?, ?, ?, 0, ?)"
# Without a WHERE, SQLite reads the ON of an upsert as the ON of a join.
_BEGUN: Final = """
    INSERT INTO begun (match, game, at, client_nonce)
    SELECT (SELECT number FROM matches WHERE matches.id = json_extract(row.value, '$[0]')),
        json_extract(row.value, '$[1]'), json_extract(row.value, '$[2]'), json_extract(row.value, '$[3]')
    FROM json_each(?) AS row WHERE true ON CONFLICT DO NOTHING
"""
_EVENTS: Final = """
    INSERT INTO events (id, match, seq, at, type, json, hash)
    SELECT 1 + row.key + max((SELECT coalesce(max(id), 0) FROM events), (SELECT deleted FROM log)),
        (SELECT number FROM matches WHERE matches.id = json_extract(row.value, '$[0]')),
        json_extract(row.value, '$[1]'), json_extract(row.value, '$[2]'), json_extract(row.value, '$[3]'),
        json_extract(row.value, '$[4]'), json_extract(row.value, '$[5]')
    FROM json_each(?) AS row
"""
_MATCHES_OVER: Final = "UPDATE matches SET over = 1 WHERE id IN (SELECT value FROM json_each(?))"


def insert_player(player: Player, token_hash: str, at: int) -> Write:
    """Store a player, unless they are stored already, or the operator has given the name at the same moment."""
    return Write(0, _PLAYER, [(player.id, player.name, skeleton(player.name), player.kind, token_hash, at)])


def insert_match(match: str, player: Player, client: Program, ladder: str, seed: bytes, at: int) -> Write:
    return Write(1, _MATCH, [(match, player.id, ladder, seed, at, f"{client.name} {client.version}")])


def begin_game(match: str, game: int, at: int, client_nonce: str | None) -> Write:
    """Store that the player was ready for a game, with their nonce."""
    return Write(2, _BEGUN, [(match, game, at, client_nonce)], bulk=True)


def insert_events(match: str, entries: list[LogEntry]) -> Write:
    return Write(3, _EVENTS, [(match, *entry) for entry in entries], bulk=True)


def store_changes(match: str, changes: Changes) -> list[Write]:
    begun = changes.begun
    stored = [] if begun is None else [begin_game(match, begun.game, changes.begun_at, begun.client_nonce)]
    if changes.is_last:
        stored.append(finish_match(match))
    if changes.entries:
        stored.append(insert_events(match, changes.entries))
    return stored


def finish_match(match: str) -> Write:
    return Write(4, _MATCHES_OVER, [match], bulk=True)
