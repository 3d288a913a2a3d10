"""The store of the writer in PostgreSQL: one statement per batch, which stores only what its node may still write.

A node that was stopped and goes on may have been replaced, or have lost matches to others. So the statement begins with
the row of the node, whose run it must have, and with the rows of `owners`, whose epochs it must have: jobs of other
matches, and of a second match in a round, are left out whole. The row of the node is locked until the commit, so what a
node wrote is numbered in the order of its commits. A connection that is lost leaves the outcome unknown: whoever reads
a match again raises its epoch first, for which a statement that is under way must end.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import psycopg

from evilpegs_server.match.match import already_entered
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.location import shown_url
from evilpegs_server.storage.postgres.database import CONNECT
from evilpegs_server.storage.postgres.errors import NodeReplacedError, explain_postgres
from evilpegs_server.storage.sqlite_store import merge
from evilpegs_server.storage.writer import Fact, Write

_COLUMNS: Final = {
    Fact.PLAYER: "bigint[], text[], text[], text[], text[], bigint[]",
    Fact.MATCH: "text[], bigint[], text[], bytea[], bigint[], text[]",
    Fact.BEGUN: "text[], integer[], bigint[], text[]",
    Fact.EVENTS: "text[], integer[], bigint[], text[], text[], text[]",
}


def _rows(fact: Fact) -> str:
    types = _COLUMNS[fact].split(", ")
    forms = ["b" if each == "text[]" else "s" for each in types]  # binary texts need no quotes
    named = [f"%({fact.name}{number}){form}::{types[number]}" for number, form in enumerate(forms)]
    return f"unnest({', '.join(named)})"


BATCH: Final = f"""
    WITH me AS MATERIALIZED (
        UPDATE nodes SET written = written + %(count)s, seen = clock_timestamp() WHERE name = %(node)s AND run = %(run)s
        RETURNING written - %(count)s AS before
    ), new_players AS (
        INSERT INTO players (id, name, skeleton, kind, token_hash, created_at)
        SELECT r.* FROM me, {_rows(Fact.PLAYER)} AS r ON CONFLICT DO NOTHING
    ), opening AS MATERIALIZED (
        SELECT r.* FROM me, {_rows(Fact.MATCH)} AS r (id, player, ladder, seed, started_at, client)
    ), entered AS (
        UPDATE entrants AS e SET entered = true FROM opening AS b
        WHERE e.round = b.ladder AND e.player = b.player AND NOT e.entered RETURNING b.id
    ), new_matches AS (
        INSERT INTO matches (id, player, ladder, seed, started_at, client, over)
        SELECT b.*, b.id = ANY (%(over)s::text[]) FROM opening AS b
        WHERE b.ladder NOT IN (SELECT id FROM rounds) OR b.id IN (SELECT id FROM entered) RETURNING number, id, over
    ), new_owners AS (
        INSERT INTO owners (match, node) SELECT number, %(node)s FROM new_matches WHERE NOT over
    ), old AS MATERIALIZED (
        SELECT m.number, m.id, w.epoch FROM unnest(%(matches)b::text[], %(epochs)s::integer[]) AS w (id, epoch)
        JOIN matches AS m ON m.id = w.id
    ), held AS MATERIALIZED (
        SELECT w.number, w.id FROM me, old AS w JOIN owners AS o ON o.match = w.number
        WHERE o.node = %(node)s AND o.epoch = w.epoch FOR SHARE OF o
    ), mine AS (
        SELECT number, id FROM held UNION ALL SELECT number, id FROM new_matches
    ), new_begun AS (
        INSERT INTO begun (match, game, at, client_nonce)
        SELECT mine.number, r.game, r.at, r.nonce
        FROM {_rows(Fact.BEGUN)} AS r (match, game, at, nonce) JOIN mine ON mine.id = r.match ON CONFLICT DO NOTHING
    ), new_events AS (
        INSERT INTO events (match, seq, at, type, json, hash, node, n)
        SELECT mine.number, r.seq, r.at, r.type, r.json, r.hash, %(node)s, me.before + r.n
        FROM me, {_rows(Fact.EVENTS)} WITH ORDINALITY AS r (match, seq, at, type, json, hash, n)
        JOIN mine ON mine.id = r.match
    ), ended AS (
        UPDATE matches AS m SET over = true FROM held
        WHERE m.number = held.number AND held.id = ANY (%(over)s::text[]) RETURNING m.number
    ), left_owners AS (
        DELETE FROM owners USING ended WHERE owners.match = ended.number
    )
    SELECT ARRAY(SELECT id FROM mine) FROM me
"""  # noqa: S608 - of constants


class MatchLostError(DatabaseUnusableError):
    """Another node plays the match now."""


class PostgresStore:
    """A `Store`; ``epochs`` has the matches that this node plays, but not those that it has just begun."""

    last_event = 0

    def __init__(self, url: str, node: str, run: int) -> None:
        self.epochs: dict[str, int] = {}
        self._url, self._node, self._run = url, node, run
        self.failed_at = float("-inf")  # the last time, by `time.monotonic`
        self.failure: Exception | None = None  # why nothing can be stored now
        self.is_replaced = False
        self._connection: psycopg.Connection[Any] | None = None

    def check(self) -> None:
        """Note that the node is alive."""
        try:
            with self._connected().cursor() as cursor:
                alive = "UPDATE nodes SET seen = clock_timestamp() WHERE name = %s AND run = %s"
                if not cursor.execute(alive, (self._node, self._run)).rowcount:
                    raise NodeReplacedError(self._node)
        except psycopg.Error as error:
            self.drop()
            self.failure = self.explain(error)
            raise self.failure from None
        except NodeReplacedError:
            self.is_replaced = True
            raise
        self.failure = None

    def write(self, jobs: Sequence[Sequence[Write]], _seconds: float) -> Sequence[Exception | None]:
        connection = self._connected()
        rows = merge(jobs)
        matches = [_match_of(job) for job in jobs]
        old = sorted({match for match in matches if match is not None} - {row[0] for row in rows.get(Fact.MATCH, ())})
        parameters = {
            "node": self._node,
            "run": self._run,
            "count": len(rows.get(Fact.EVENTS, ())),
            "matches": old,
            "epochs": [self.epochs.get(match, 1) for match in old],
            "over": rows.get(Fact.OVER, []),
        }
        for fact, types in _COLUMNS.items():
            columns = zip(*rows[fact], strict=True) if rows.get(fact) else [()] * len(types.split(", "))
            parameters |= {f"{fact.name}{number}": list(column) for number, column in enumerate(columns)}
        found = connection.execute(BATCH, parameters).fetchone()
        if found is None:
            raise NodeReplacedError(self._node)
        lost: dict[str, Exception] = dict.fromkeys(old, MatchLostError("another node plays the match now"))
        lost |= {row[0]: already_entered(row[2]) for row in rows.get(Fact.MATCH, ())}
        return [None if match is None or match in found[0] else lost[match] for match in matches]

    def explain(self, error: Exception) -> Exception:
        return explain_postgres(error, shown_url(self._url)) or error

    def drop(self) -> None:
        if self._connection is not None:
            self.failed_at = time.monotonic()
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    close = drop

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None:
            self.failed_at = time.monotonic()
            self._connection = psycopg.connect(self._url, autocommit=True, **CONNECT)
        return self._connection


def _match_of(job: Sequence[Write]) -> str | None:
    for fact, rows in job:
        if fact == Fact.OVER:
            return str(rows[0])
        if fact != Fact.PLAYER:
            return str(rows[0][0])
    return None
