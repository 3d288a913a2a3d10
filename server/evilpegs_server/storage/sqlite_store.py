"""The store of the writer in an SQLite file: one transaction per batch, one statement per fact."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final

import orjson
from sqlalchemy import Connection, Engine

from evilpegs_server.storage.errors import explain
from evilpegs_server.storage.location import engine_file
from evilpegs_server.storage.writer import Fact, Write

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
STATEMENTS: Final[Mapping[int, str]] = MappingProxyType(
    {Fact.PLAYER: _PLAYER, Fact.MATCH: _MATCH, Fact.BEGUN: _BEGUN, Fact.EVENTS: _EVENTS, Fact.OVER: _MATCHES_OVER}
)
# all rows are the JSON text of one parameter, which is faster: the driver releases the interpreter lock at each step of
# a statement, and has to compete with the event loop for it
_IN_ONE_TEXT: Final = (Fact.BEGUN, Fact.EVENTS, Fact.OVER)
_LAST_EVENT: Final = "SELECT max(id) FROM events"


class SqliteStore:
    """A `Store`; ``check`` raises if the file is not in its place."""

    def __init__(
        self,
        engine: Engine,
        check: Callable[[], None] = lambda: None,
        last_event: int = 0,
        statements: Mapping[int, str] = STATEMENTS,
    ) -> None:
        self.check, self.last_event = check, last_event
        self._engine, self._statements = engine, statements
        self._connection: Connection | None = None

    def write(self, jobs: Sequence[Sequence[Write]], seconds: float) -> Sequence[None]:
        if self._connection is None:
            self._connection = self._engine.connect()
        connection = self._connection
        with connection.begin():
            driver = connection.connection.cursor()
            driver.execute(f"PRAGMA busy_timeout={round(1000 * seconds)}")
            driver.execute("BEGIN IMMEDIATE")
            for fact, rows in merge(jobs).items():
                if fact in _IN_ONE_TEXT:
                    driver.execute(self._statements[fact], (orjson.dumps(rows).decode(),))
                else:
                    connection.exec_driver_sql(self._statements[fact], rows)
            last_event = driver.execute(_LAST_EVENT).fetchone()[0] or 0
        self.last_event = last_event
        return [None] * len(jobs)

    def explain(self, error: Exception) -> Exception:
        return explain(error, str(engine_file(self._engine))) or error

    def drop(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.invalidate()
                self._connection.close()
            self._connection = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def merge(jobs: Sequence[Sequence[Write]]) -> dict[int, list[Any]]:
    """Return the rows of all jobs by fact, in the order of facts."""
    rows: defaultdict[int, list[Any]] = defaultdict(list)
    for write in (write for job in jobs for write in job):
        rows[write.fact].extend(write.rows)
    return dict(sorted(rows.items()))
