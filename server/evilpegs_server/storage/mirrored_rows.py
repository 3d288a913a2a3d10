"""The rows that a mirror copies, table by table, from a snapshot of a database to a transaction on the copy."""

# ruff: noqa: S608 - all texts are of constants and numbers

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import Connection

_PLAYERS: Final = "SELECT id, name, skeleton, kind, token_hash, created_at FROM players WHERE"
_ACT: Final = "id, at, act, player"
_MATCHES: Final = "number, id, player, ladder, seed, started_at, client"
_OF_MATCHES: Final = {"begun": "match, game, at, client_nonce", "luck": "match, game, luck, curve"}
# with the order of their rows; each may name rows of those before it
_SMALL: Final = {
    "hidden": ("player", "player"),
    "ladders": ("id, json", "rowid"),
    "rounds": ("id, base, games, sealed, opens, closes, published", "id"),
    "entrants": ("round, player, excluded", "round, player"),
}
_OVERLAP_MS: Final = 60_000
"""By which the clocks of nodes may differ."""
_ROWS: Final = 5_000
# names that change at the same time may be each other's
_FREE_NAMES: Final = "UPDATE players SET name = '?' || id, skeleton = '?' || id, token_hash = '?' || id WHERE id IN"
_PUT_PLAYER: Final = """
    INSERT INTO players (id, name, skeleton, kind, token_hash, created_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, skeleton = excluded.skeleton, kind = excluded.kind,
        token_hash = excluded.token_hash
"""


def last_act(target: Connection) -> tuple[Any, ...] | None:
    row = target.exec_driver_sql(f"SELECT {_ACT} FROM acts ORDER BY id DESC LIMIT 1").one_or_none()
    return None if row is None else tuple(row)


def acts_from(source: Connection, first: int) -> list[Any]:
    return list(source.exec_driver_sql(f"SELECT {_ACT}, reason FROM acts WHERE id >= ? ORDER BY id", (first,)))


def copy_acts(source: Connection, target: Connection, acts: Sequence[Any]) -> None:
    """Copy acts with what they have changed, and all rounds, ladders and hidden players."""
    small = {
        table: source.exec_driver_sql(f"SELECT {columns} FROM {table} ORDER BY {order}").all()
        for table, (columns, order) in _SMALL.items()
    }
    acted = {act.player for act in acts if act.player is not None}
    named = {player for (player,) in small["hidden"]} | {player for _, player, _ in small["entrants"]}
    _copy_players(source, target, acted | (named - _known(target, "players", "id", named)))
    for act in acts:
        if act.act == "forget":
            _forget(target, act.player)
    _insert(target, "acts", f"{_ACT}, reason", acts)
    if any(
        rows != target.exec_driver_sql(f"SELECT {_SMALL[table][0]} FROM {table} ORDER BY {_SMALL[table][1]}").all()
        for table, rows in small.items()
    ):
        for table in reversed(_SMALL):
            target.exec_driver_sql(f"DELETE FROM {table}")
        for table, rows in small.items():
            _insert(target, table, _SMALL[table][0], rows)


def copy_matches(source: Connection, target: Connection, numbers: Collection[int]) -> None:
    """Copy what is new of these matches, but no event."""
    new = _list(set(numbers) - _known(target, "matches", "number", numbers))
    matches = source.exec_driver_sql(f"SELECT {_MATCHES}, false FROM matches WHERE number IN {new}").all()
    players = {match.player for match in matches}
    _copy_players(source, target, players - _known(target, "players", "id", players))
    _insert(target, "matches", f"{_MATCHES}, over", matches)
    _copy_of_matches(source, target, numbers)


def last_seqs(target: Connection, numbers: Collection[int]) -> dict[int, int]:
    query = f"SELECT match, max(seq) FROM events WHERE match IN {_list(numbers)} GROUP BY match"
    return dict(map(tuple, target.exec_driver_sql(query)))


def store_events(target: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Store events of matches that are there, as the columns of the table."""
    _insert(target, "events", "id, match, seq, at, type, json, hash", rows)
    over = _list({match for _, match, _, _, kind, *_ in rows if kind == "match_over"})
    target.exec_driver_sql(f"UPDATE matches SET over = 1 WHERE number IN {over}")


def copy_without_events(source: Connection, target: Connection, created: int) -> int:
    """Copy what no event and no act says: players who have not played, games that begin, matches that are over.

    Players of before ``created``, a time in Unix milliseconds, are there already; return that of the newest one.
    """
    query = f"{_PLAYERS} created_at >= ?"
    players = source.exec_driver_sql(query, (created - _OVERLAP_MS,), execution_options={"yield_per": _ROWS})
    for rows in players.partitions():
        _put_players(target, rows)
        created = max(created, *(row.created_at for row in rows))
    numbers = target.exec_driver_sql("SELECT number FROM matches WHERE NOT over").scalars().all()
    over = source.exec_driver_sql(f"SELECT number FROM matches WHERE over AND number IN {_list(numbers)}").scalars()
    _copy_of_matches(source, target, numbers)
    target.exec_driver_sql(f"UPDATE matches SET over = 1 WHERE number IN {_list(over.all())}")
    return created


def delete_all(target: Connection) -> None:
    for table in ("events", *_OF_MATCHES, "acts", *reversed(_SMALL), "matches", "players"):
        target.exec_driver_sql(f"DELETE FROM {table}")


def _forget(target: Connection, player: int) -> None:
    # the bytes are overwritten once the side file is empty
    target.exec_driver_sql("PRAGMA secure_delete = ON")
    for table in ("events", *_OF_MATCHES):
        theirs = f"DELETE FROM {table} WHERE match IN (SELECT number FROM matches WHERE player = ?)"
        target.exec_driver_sql(theirs, (player,))
    target.exec_driver_sql("DELETE FROM matches WHERE player = ?", (player,))
    target.exec_driver_sql("UPDATE acts SET reason = NULL WHERE player = ?", (player,))


def _copy_players(source: Connection, target: Connection, ids: Collection[int]) -> None:
    _put_players(target, source.exec_driver_sql(f"{_PLAYERS} id IN {_list(ids)}").all())


def _put_players(target: Connection, rows: Sequence[Any]) -> None:
    known = set(target.exec_driver_sql(f"{_PLAYERS} id IN {_list([row.id for row in rows])}").all())
    changed = [tuple(row) for row in rows if row not in known]
    if changed:
        target.exec_driver_sql(f"{_FREE_NAMES} {_list([row[0] for row in changed])}")
        target.exec_driver_sql(_PUT_PLAYER, changed)


def _copy_of_matches(source: Connection, target: Connection, numbers: Collection[int]) -> None:
    for table, columns in _OF_MATCHES.items():
        query = f"SELECT {columns} FROM {table} WHERE match IN {_list(numbers)}"
        _insert(target, table, columns, source.exec_driver_sql(query).all(), "OR IGNORE")


def _known(target: Connection, table: str, column: str, ids: Collection[int]) -> set[int]:
    return set(target.exec_driver_sql(f"SELECT {column} FROM {table} WHERE {column} IN {_list(ids)}").scalars())


def _insert(target: Connection, table: str, columns: str, rows: Sequence[Any], how: str = "") -> None:
    if rows:
        values = ", ".join("?" * len(columns.split(", ")))
        target.exec_driver_sql(f"INSERT {how} INTO {table} ({columns}) VALUES ({values})", [tuple(row) for row in rows])


def _list(numbers: Collection[int]) -> str:
    return f"({', '.join(map(str, numbers))})" if numbers else "(NULL)"
