"""A node: a server on a PostgreSQL database that others may use too, and the matches that it owns.

Its row in `nodes` says when it was last heard of. A name is free again when its server has ended, or was silent for a
lease; each start is another run, and statements of an earlier run store nothing. A match has one owner. Whoever takes
it raises its epoch first and reads it then, so what an earlier owner still sends stores nothing of it. Leases are
measured by the clock of the database, and only decide who tries.
"""

import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from sqlalchemy import text

from evilpegs_server.match.clock import Times
from evilpegs_server.storage.engines.postgres import PostgresDatabase, PostgresStore
from evilpegs_server.storage.errors import DatabaseInUseError
from evilpegs_server.storage.queries import read, read_value

_LOOK_SECONDS: Final = 0.25
# all others look silent to a node that had lost the database, so for a lease it takes from those that have ended only
_ALIVE: Final = "seen > '-infinity' AND (NOT :judges OR seen >= clock_timestamp() - lease)"
_BEGIN: Final = """
    INSERT INTO nodes (name, run, seen, lease) VALUES (:name, 1, clock_timestamp(), make_interval(secs => :lease))
    ON CONFLICT (name) DO UPDATE SET run = nodes.run + 1, seen = clock_timestamp(), lease = excluded.lease
    WHERE nodes.seen = '-infinity'
        OR nodes.seen = CAST(:seen AS timestamptz) AND clock_timestamp() > CAST(:now AS timestamptz) + nodes.lease
    RETURNING run
"""
# as text: -infinity is no time of Python's
_SEEN: Final = "SELECT CAST(seen AS text), CAST(clock_timestamp() AS text) FROM nodes WHERE name = :name"
_END: Final = "UPDATE nodes SET seen = '-infinity' WHERE name = :name AND run = :run RETURNING 1"
# the times are those that the owner before has left for this node, else NULL
_TAKE: Final = """
    WITH old AS (
        SELECT o.match, m.id, CASE WHEN o.node = :name THEN o.spent_ms END AS spent_ms,
            CASE WHEN o.node = :name THEN o.wait_ms END AS wait_ms,
            CASE WHEN o.node = :name THEN o.credit_ms END AS credit_ms
        FROM owners AS o JOIN matches AS m ON m.number = o.match WHERE {which} FOR UPDATE OF o {more}
    )
    UPDATE owners AS o
    SET node = :name, epoch = o.epoch + 1, wanted = NULL, spent_ms = NULL, wait_ms = NULL, credit_ms = NULL
    FROM old WHERE o.match = old.match RETURNING old.id, o.epoch, old.spent_ms, old.wait_ms, old.credit_ms
"""
_SILENT: Final = f"o.node NOT IN (SELECT name FROM nodes WHERE {_ALIVE})"  # noqa: S608
_TAKE_ONE: Final = _TAKE.format(
    which=f"m.id = :match AND m.player = :player AND (o.node = :name OR {_SILENT})", more=""
)
_TAKE_SILENT: Final = _TAKE.format(which=f"o.node <> :name AND {_SILENT} LIMIT 200", more="SKIP LOCKED")
_ASK: Final = """
    UPDATE owners AS o SET wanted = :name FROM matches AS m
    WHERE m.id = :match AND m.player = :player AND o.match = m.number RETURNING o.node
"""
_WANTED: Final = """
    SELECT m.id, o.wanted, o.epoch FROM owners AS o JOIN matches AS m ON m.number = o.match
    WHERE o.node = :name AND o.wanted IS NOT NULL
"""
_GIVE: Final = """
    UPDATE owners AS o
    SET node = :to, epoch = o.epoch + 1, wanted = NULL, spent_ms = :spent_ms, wait_ms = :wait_ms, credit_ms = :credit_ms
    FROM matches AS m WHERE m.id = :match AND o.match = m.number AND o.node = :name AND o.epoch = :epoch RETURNING 1
"""
_OWNED: Final = """
    SELECT m.id, m.player, o.epoch FROM owners AS o JOIN matches AS m ON m.number = o.match
    WHERE o.node = :name
"""
_OPEN: Final = """
    SELECT m.id, m.ladder, (SELECT max(seq) FROM events AS e WHERE e.match = m.number), e.json
    FROM matches AS m JOIN events AS e ON e.match = m.number AND e.seq = 1
    WHERE m.player = :player AND NOT m.over ORDER BY m.number
"""
_TAKE_IDS: Final = "SELECT nextval('player_ids')"
IDS: Final = 1000
"""Of players, which a node takes at a time."""


class Taken(NamedTuple):
    """A match that this node owns now; ``times`` is None if nobody has left them."""

    match: str
    epoch: int
    times: Times | None


class OpenElsewhere(NamedTuple):
    match: str
    ladder: str
    seq: int
    first: str
    """The text of the first event."""


class ServerNode:
    """The node ``name``; raises DatabaseInUseError if one of the name shows that it is alive."""

    def __init__(
        self, database: PostgresDatabase, name: str, lease_seconds: float, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.name, self.lease_seconds = name, lease_seconds
        self._database = database
        self.run = self._begin(sleep)
        self.store = PostgresStore(database.url, name, self.run)

    def _begin(self, sleep: Callable[[float], None]) -> int:
        # watched for a lease: after an outage of the database everybody seems to have been silent
        first = self._seen()
        while True:
            if (begun := self._change(_BEGIN, lease=self.lease_seconds, seen=first[0], now=first[1])) != []:
                return int(begun[0][0])
            if self._seen()[0] != first[0]:
                message = f"another server runs as the node {self.name}; give this one another name with --node"
                raise DatabaseInUseError(message)
            sleep(_LOOK_SECONDS)

    def _seen(self) -> tuple[str | None, str | None]:
        rows = read(self._database, _SEEN, name=self.name)
        return (rows[0][0], rows[0][1]) if rows else (None, None)

    def take_silent(self) -> list[str]:
        """Own some open matches of nodes that were silent for a lease, or have ended, and return them."""
        return [taken.match for taken in self._take(_TAKE_SILENT)]

    def owned(self) -> list[tuple[str, int, int]]:
        """Return the matches of this node, each with its player and epoch."""
        return [tuple(row) for row in read(self._database, _OWNED, name=self.name)]

    def take(self, match: str, player: int) -> Taken | None:
        """Take an open match if it is this node's already or its owner is silent."""
        taken = self._take(_TAKE_ONE, match=match, player=player)
        return taken[0] if taken else None

    def ask(self, match: str, player: int) -> bool:
        """Ask the owner for a match of the player; False if there is no such open match."""
        return bool(self._change(_ASK, match=match, player=player))

    def wanted(self) -> list[tuple[str, str, int]]:
        """Return the matches of this node that others ask for, each with who asks and its epoch."""
        return [tuple(row) for row in read(self._database, _WANTED, name=self.name)]

    def give(self, match: str, to: str, epoch: int, times: Times) -> None:
        self._change(_GIVE, match=match, to=to, epoch=epoch, **times._asdict())

    def open_matches(self, player: int) -> list[OpenElsewhere]:
        """Return the open matches of a player, on whichever node."""
        return [OpenElsewhere(*row) for row in read(self._database, _OPEN, player=player)]

    def agree_on_key(self, key: str) -> str:
        """Return the public key of the first node that called this."""
        self._change("UPDATE log SET key = :key WHERE key IS NULL RETURNING 1", key=key)
        return str(read_value(self._database, "SELECT key FROM log"))

    def take_ids(self) -> range:
        """Return ids that only this node gives to players."""
        ((first,),) = self._change(_TAKE_IDS)
        return range(first, first + IDS)

    def end(self) -> None:
        """Free the name and the matches at once."""
        self._change(_END, run=self.run)

    def _judges(self) -> bool:
        return time.monotonic() - self.store.failed_at >= self.lease_seconds

    def _take(self, statement: str, **which: object) -> list[Taken]:
        rows = self._change(statement, **which, judges=self._judges())
        return [Taken(row[0], row[1], None if row[4] is None else Times(*row[2:])) for row in rows]

    def _change(self, statement: str, **parameters: object) -> list[Any]:
        with self._database.begin() as connection:
            return list(connection.execute(text(statement), {"name": self.name, **parameters}).all())
