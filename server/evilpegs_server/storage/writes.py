"""The writes of a server: one function per fact, whose result `Writer.submit` stores."""

from typing import Final

from sqlalchemy import Table, Text, Update, bindparam, func, literal_column, select, true, update
from sqlalchemy.dialects.sqlite import Insert, insert

from evilpegs_protocol.fields import Program
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.record.recorder import Changes
from evilpegs_server.storage.players import Player, skeleton
from evilpegs_server.storage.tables import begun, events, matches, players
from evilpegs_server.storage.writer import Row, Write


def _from_json(table: Table, *columns: str) -> Insert:
    row = func.json_each(bindparam("rows", type_=Text)).table_valued("value", name="row")
    match, *values = (
        func.json_extract(row.c.value, literal_column(f"'$[{index}]'")) for index in range(len(columns) + 1)
    )
    # the rows have the id of the match in place of its number
    number = select(matches.c.number).where(matches.c.id == match).scalar_subquery()
    # Without a WHERE, SQLite reads the ON of an upsert as the ON of a join.
    return insert(table).from_select(["match", *columns], select(number, *values).where(true()))


def _finish_matches() -> Update:
    ids = func.json_each(bindparam("rows", type_=Text)).table_valued("value")
    return update(matches).where(matches.c.id.in_(select(ids.c.value))).values(over=true())


_PLAYERS: Final = insert(players)
_GUESTS: Final = insert(players).on_conflict_do_nothing()
_MATCHES: Final = insert(matches)
_BEGUN: Final = _from_json(begun, "game", "at", "client_nonce").on_conflict_do_nothing()
_EVENTS: Final = _from_json(events, "seq", "at", "type", "json", "hash")
_MATCHES_OVER: Final = _finish_matches()


def insert_player(player: Player, token_hash: str, at: int) -> Write:
    return Write(0, _PLAYERS, [_player_row(player, token_hash, at)])


def insert_guest(guest: Player, token_hash: str, at: int) -> Write:
    """Store a guest who starts a match, unless they are already stored."""
    return Write(1, _GUESTS, [_player_row(guest, token_hash, at)])


def _player_row(player: Player, token_hash: str, at: int) -> Row:
    return {
        "id": player.id,
        "name": player.name,
        "skeleton": skeleton(player.name),
        "kind": player.kind,
        "token_hash": token_hash,
        "created_at": at,
    }


def insert_match(match: str, player: Player, client: Program, ladder: str, seed: bytes, at: int) -> Write:
    row: Row = {
        "id": match,
        "player": player.id,
        "ladder": ladder,
        "seed": seed,
        "started_at": at,
        "over": False,
        "client": f"{client.name} {client.version}",
    }
    return Write(2, _MATCHES, [row])


def begin_game(match: str, game: int, at: int, client_nonce: str | None) -> Write:
    """Store that the player was ready for a game, with their nonce."""
    return Write(3, _BEGUN, [(match, game, at, client_nonce)], bulk=True)


def insert_events(match: str, entries: list[LogEntry]) -> Write:
    return Write(4, _EVENTS, [(match, *entry) for entry in entries], bulk=True)


def store_changes(match: str, changes: Changes) -> list[Write]:
    begun = changes.begun
    stored = [] if begun is None else [begin_game(match, begun.game, changes.begun_at, begun.client_nonce)]
    if changes.is_last:
        stored.append(finish_match(match))
    if changes.entries:
        stored.append(insert_events(match, changes.entries))
    return stored


def finish_match(match: str) -> Write:
    return Write(5, _MATCHES_OVER, [match], bulk=True)
