"""The rows that a mirror copies, table by table, from a snapshot of a database to a transaction on the copy."""

from collections.abc import Collection, Sequence
from typing import Any, Final

import sqlalchemy as sa

from evilpegs_server.storage.engines import sqlite
from evilpegs_server.storage.log.tables import (
    acts,
    begun,
    entrants,
    events,
    hidden,
    ladders,
    luck,
    matches,
    players,
    rounds,
)

TABLES: Final = (players, matches, events, begun, luck, acts, hidden, ladders, rounds, entrants)
"""All that are copied; each may name rows of those before it."""
_OF_MATCHES: Final = (begun, luck)
_SMALL: Final[dict[sa.Table, sa.Select[Any]]] = {
    hidden: sa.select(hidden).order_by(hidden.c.player),
    ladders: sa.select(ladders).order_by(sa.text("rowid")),
    rounds: sa.select(rounds).order_by(rounds.c.id),
    entrants: sa.select(entrants).order_by(entrants.c.round, entrants.c.player),
}
_ACT: Final = (acts.c.id, acts.c.at, acts.c.act, acts.c.player)
_LAST_ACT: Final = sa.select(*_ACT).order_by(acts.c.id.desc()).limit(1)
_OVERLAP_MS: Final = 60_000
"""By which the clocks of nodes may differ."""
_ROWS: Final = 5_000


def new_acts(source: sa.Connection, target: sa.Connection) -> list[Any] | None:
    """Return the acts that the copy does not have; None if the database does not have the last one of the copy."""
    known = target.execute(_LAST_ACT).one_or_none()
    first = 0 if known is None else known.id
    found = list(source.execute(sa.select(*_ACT, acts.c.reason).where(acts.c.id >= first).order_by(acts.c.id)))
    return None if known is not None and (not found or found.pop(0)[: len(known)] != known) else found


def copy_acts(source: sa.Connection, target: sa.Connection, new: Sequence[Any]) -> None:
    """Copy acts with what they have changed, and all rounds, ladders and hidden players."""
    small, known = _small(source), _small(target)
    changed = small if small != known else {}
    named = {row.player for table in (hidden, entrants) for row in changed.get(table, ())}
    _copy_players(source, target, named | {act.player for act in new if act.player is not None})
    for act in new:
        if act.act == "forget":
            _forget(target, act.player)
    _insert(target, acts, new)
    for table in reversed(changed):
        target.execute(sa.delete(table))
    for table, rows in changed.items():
        _insert(target, table, rows)


def _small(connection: sa.Connection) -> dict[sa.Table, Sequence[Any]]:
    return {table: connection.execute(query).all() for table, query in _SMALL.items()}


def copy_matches(source: sa.Connection, target: sa.Connection, numbers: Collection[int]) -> None:
    """Copy what is new of these matches, but no event."""
    known = target.execute(sa.select(matches.c.number).where(_among(matches.c.number, numbers))).scalars()
    are_new = _among(matches.c.number, set(numbers) - set(known))
    new = source.execute(sa.select(matches).where(are_new)).all()
    _copy_players(source, target, {match.player for match in new})
    _insert(target, matches, new)
    target.execute(sa.update(matches).where(are_new).values(over=False))  # until its last event is there
    _copy_of_matches(source, target, numbers)


def last_seqs(target: sa.Connection, numbers: Collection[int]) -> dict[int, int]:
    last = sa.select(events.c.match, sa.func.max(events.c.seq)).where(_among(events.c.match, numbers))
    return dict(map(tuple, target.execute(last.group_by(events.c.match))))


def store_events(target: sa.Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Store events of matches that are there."""
    if rows:
        target.execute(sa.insert(sqlite.TABLES.tables["events"]), rows)
        _end(target, {row["match"] for row in rows if row["type"] == "match_over"})


def copy_without_events(source: sa.Connection, target: sa.Connection, created: int) -> int:
    """Copy what no event and no act says: players who have not played, games that begin, matches that are over.

    Players of before ``created``, a time in Unix milliseconds, are there already; return that of the newest one.
    """
    since = sa.select(players).where(players.c.created_at >= created - _OVERLAP_MS)
    for rows in source.execute(since, execution_options={"yield_per": _ROWS}).partitions():
        _put_players(target, rows)
        created = max(created, *(row.created_at for row in rows))
    numbers = target.execute(sa.select(matches.c.number).where(sa.text("NOT over"))).scalars().all()
    over = source.execute(
        sa.select(matches.c.number).where(sa.text("over"), _among(matches.c.number, numbers))
    ).scalars()
    _copy_of_matches(source, target, numbers)
    _end(target, over.all())
    return created


def _end(target: sa.Connection, numbers: Collection[int]) -> None:
    target.execute(sa.update(matches).where(_among(matches.c.number, numbers)).values(over=True))


def _forget(target: sa.Connection, player: int) -> None:
    # the bytes are overwritten once the side file is empty
    target.execute(sa.text("PRAGMA secure_delete = ON"))
    theirs = sa.select(matches.c.number).where(matches.c.player == player)
    for table in (events, *_OF_MATCHES):
        target.execute(sa.delete(table).where(table.c.match.in_(theirs)))
    target.execute(sa.delete(matches).where(matches.c.player == player))
    target.execute(sa.update(acts).where(acts.c.player == player).values(reason=None))


def _copy_players(source: sa.Connection, target: sa.Connection, ids: Collection[int]) -> None:
    _put_players(target, source.execute(sa.select(players).where(_among(players.c.id, ids))).all())


def _put_players(target: sa.Connection, rows: Sequence[Any]) -> None:
    known = set(target.execute(sa.select(players).where(_among(players.c.id, [row.id for row in rows]))).all())
    changed = [row for row in rows if row not in known]
    # names that change at the same time may be each other's
    free = dict.fromkeys(("name", "skeleton", "token_hash"), sa.text("'?' || id"))
    target.execute(sa.update(players).where(_among(players.c.id, [row.id for row in changed])).values(free))
    _insert(target, players, changed, "OR REPLACE")


def _copy_of_matches(source: sa.Connection, target: sa.Connection, numbers: Collection[int]) -> None:
    for table in _OF_MATCHES:
        rows = source.execute(sa.select(table).where(_among(table.c.match, numbers))).all()
        _insert(target, table, rows, "OR IGNORE")


def _insert(target: sa.Connection, table: sa.Table, rows: Sequence[Any], how: str = "") -> None:
    if rows:
        target.execute(sa.insert(table).prefix_with(how), [row._asdict() for row in rows])


def _among(column: sa.ColumnElement[int], numbers: Collection[int]) -> sa.ColumnElement[bool]:
    # literally: there may be more than a statement may have parameters
    return column.in_(sa.bindparam("numbers", list(numbers), expanding=True, literal_execute=True))
