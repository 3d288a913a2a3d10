"""The rows that a mirror copies, table by table, from a snapshot of a database to a transaction on the copy."""

# ruff: noqa: S608 - all texts are of constants, names of columns and numbers

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import Connection

TABLES: Final = ("players", "matches", "events", "begun", "luck", "acts", "hidden", "ladders", "rounds", "entrants")
"""All that are copied; each may name rows of those before it."""
_OF_MATCHES: Final = ("begun", "luck")
# with the order of their rows
_SMALL: Final = {"hidden": "player", "ladders": "rowid", "rounds": "id", "entrants": "round, player"}
_ACT: Final = "id, at, act, player"
_OVERLAP_MS: Final = 60_000
"""By which the clocks of nodes may differ."""
_ROWS: Final = 5_000
# names that change at the same time may be each other's
_FREE_NAMES: Final = "UPDATE players SET name = '?' || id, skeleton = '?' || id, token_hash = '?' || id WHERE id IN"


def new_acts(source: Connection, target: Connection) -> list[Any] | None:
    """Return the acts that the copy does not have; None if the database does not have the last one of the copy."""
    known = target.exec_driver_sql(f"SELECT {_ACT} FROM acts ORDER BY id DESC LIMIT 1").one_or_none()
    query = f"SELECT {_ACT}, reason FROM acts WHERE id >= ? ORDER BY id"
    acts = list(source.exec_driver_sql(query, (0 if known is None else known.id,)))
    return None if known is not None and (not acts or acts.pop(0)[: len(known)] != known) else acts


def copy_acts(source: Connection, target: Connection, acts: Sequence[Any]) -> None:
    """Copy acts with what they have changed, and all rounds, ladders and hidden players."""
    small, known = _small(source, target), _small(target, target)
    changed = small if small != known else {}
    named = {row.player for table in ("hidden", "entrants") for row in changed.get(table, ())}
    _copy_players(source, target, named | {act.player for act in acts if act.player is not None})
    for act in acts:
        if act.act == "forget":
            _forget(target, act.player)
    _insert(target, "acts", acts)
    for table in reversed(changed):
        target.exec_driver_sql(f"DELETE FROM {table}")
    for table, rows in changed.items():
        _insert(target, table, rows)


def _small(connection: Connection, target: Connection) -> dict[str, Sequence[Any]]:
    return {
        table: connection.exec_driver_sql(f"{_select(target, table)} ORDER BY {order}").all()
        for table, order in _SMALL.items()
    }


def copy_matches(source: Connection, target: Connection, numbers: Collection[int]) -> None:
    """Copy what is new of these matches, but no event."""
    known = target.exec_driver_sql(f"SELECT number FROM matches WHERE number IN {_list(numbers)}").scalars()
    new = f"WHERE number IN {_list(set(numbers) - set(known))}"
    matches = source.exec_driver_sql(f"{_select(target, 'matches')} {new}").all()
    _copy_players(source, target, {match.player for match in matches})
    _insert(target, "matches", matches)
    target.exec_driver_sql(f"UPDATE matches SET over = 0 {new}")  # until its last event is there
    _copy_of_matches(source, target, numbers)


def last_seqs(target: Connection, numbers: Collection[int]) -> dict[int, int]:
    query = f"SELECT match, max(seq) FROM events WHERE match IN {_list(numbers)} GROUP BY match"
    return dict(map(tuple, target.exec_driver_sql(query)))


def store_events(target: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Store events of matches that are there, as the columns of the table."""
    _insert(target, "events", rows)
    over = _list({match for _, match, _, _, kind, *_ in rows if kind == "match_over"})
    target.exec_driver_sql(f"UPDATE matches SET over = 1 WHERE number IN {over}")


def copy_without_events(source: Connection, target: Connection, created: int) -> int:
    """Copy what no event and no act says: players who have not played, games that begin, matches that are over.

    Players of before ``created``, a time in Unix milliseconds, are there already; return that of the newest one.
    """
    query = f"{_select(target, 'players')} WHERE created_at >= ?"
    players = source.exec_driver_sql(query, (created - _OVERLAP_MS,), execution_options={"yield_per": _ROWS})
    for rows in players.partitions():
        _put_players(target, rows)
        created = max(created, *(row.created_at for row in rows))
    numbers = target.exec_driver_sql("SELECT number FROM matches WHERE NOT over").scalars().all()
    over = source.exec_driver_sql(f"SELECT number FROM matches WHERE over AND number IN {_list(numbers)}").scalars()
    _copy_of_matches(source, target, numbers)
    target.exec_driver_sql(f"UPDATE matches SET over = 1 WHERE number IN {_list(over.all())}")
    return created


def _forget(target: Connection, player: int) -> None:
    # the bytes are overwritten once the side file is empty
    target.exec_driver_sql("PRAGMA secure_delete = ON")
    for table in ("events", *_OF_MATCHES):
        theirs = f"DELETE FROM {table} WHERE match IN (SELECT number FROM matches WHERE player = ?)"
        target.exec_driver_sql(theirs, (player,))
    target.exec_driver_sql("DELETE FROM matches WHERE player = ?", (player,))
    target.exec_driver_sql("UPDATE acts SET reason = NULL WHERE player = ?", (player,))


def _copy_players(source: Connection, target: Connection, ids: Collection[int]) -> None:
    _put_players(target, source.exec_driver_sql(f"{_select(target, 'players')} WHERE id IN {_list(ids)}").all())


def _put_players(target: Connection, rows: Sequence[Any]) -> None:
    ids = _list([row.id for row in rows])
    known = set(target.exec_driver_sql(f"{_select(target, 'players')} WHERE id IN {ids}").all())
    changed = [row for row in rows if row not in known]
    target.exec_driver_sql(f"{_FREE_NAMES} {_list([row.id for row in changed])}")
    _insert(target, "players", changed, "OR REPLACE")


def _copy_of_matches(source: Connection, target: Connection, numbers: Collection[int]) -> None:
    for table in _OF_MATCHES:
        query = f"{_select(target, table)} WHERE match IN {_list(numbers)}"
        _insert(target, table, source.exec_driver_sql(query).all(), "OR IGNORE")


def _select(target: Connection, table: str) -> str:
    # the columns of the copy: PostgreSQL has others too
    columns = target.exec_driver_sql("SELECT name FROM pragma_table_info(?)", (table,)).scalars()
    return f"SELECT {', '.join(columns)} FROM {table}"


def _insert(target: Connection, table: str, rows: Sequence[Any], how: str = "") -> None:
    if rows:
        values = ", ".join("?" * len(rows[0]))
        target.exec_driver_sql(f"INSERT {how} INTO {table} VALUES ({values})", [tuple(row) for row in rows])


def _list(numbers: Collection[int]) -> str:
    return f"({', '.join(map(str, numbers))})" if numbers else "(NULL)"
