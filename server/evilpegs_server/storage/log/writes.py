"""The writes of a server: one function per fact, whose result `Writer.submit` stores."""

from evilpegs_protocol.fields import Program
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.record.recorder import Changes
from evilpegs_server.storage.log.look_alikes import skeleton
from evilpegs_server.storage.log.players import Player
from evilpegs_server.storage.log.writer import Fact, Write


def insert_player(player: Player, token_hash: str, at: int) -> Write:
    """Store a player, unless they are stored already, or the operator has given the name at the same moment."""
    return Write(Fact.PLAYER, [(player.id, player.name, skeleton(player.name), player.kind, token_hash, at)])


def insert_match(match: str, player: Player, client: Program, ladder: str, seed: bytes, at: int) -> Write:
    return Write(Fact.MATCH, [(match, player.id, ladder, seed, at, f"{client.name} {client.version}")])


def begin_game(match: str, game: int, at: int, client_nonce: str | None) -> Write:
    """Store that the player was ready for a game, with their nonce."""
    return Write(Fact.BEGUN, [(match, game, at, client_nonce)])


def insert_events(match: str, entries: list[LogEntry]) -> Write:
    return Write(Fact.EVENTS, [(match, *entry) for entry in entries])


def store_changes(match: str, changes: Changes) -> list[Write]:
    begun = changes.begun
    stored = [] if begun is None else [begin_game(match, begun.game, changes.begun_at, begun.client_nonce)]
    if changes.is_last:
        stored.append(finish_match(match))
    if changes.entries:
        stored.append(insert_events(match, changes.entries))
    return stored


def finish_match(match: str) -> Write:
    return Write(Fact.OVER, [match])
