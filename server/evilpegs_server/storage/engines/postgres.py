"""A log in a database of PostgreSQL: its tables, connections, and the statement that stores a batch.

A node that was stopped and goes on may have been replaced, or have lost matches to others. So the statement begins with
the row of the node, whose run it must have, and with the rows of `owners`, whose epochs it must have: jobs of other
matches, and of a second match in a round, are left out whole. The row of the node is locked until the commit, so what a
node wrote is numbered in the order of its commits. A connection that is lost leaves the outcome unknown: whoever reads
a match again raises its epoch first, for which a statement that is under way must end.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from secrets import token_hex
from typing import Any, Final, Self

import psycopg
import sqlalchemy as sa
from sqlalchemy.pool import QueuePool
from structlog.stdlib import BoundLogger

from evilpegs_server.match.match import already_entered
from evilpegs_server.storage.engines.postgres_errors import OLDEST, READ_ONLY, NodeReplacedError, explain_postgres
from evilpegs_server.storage.engines.schema import is_known, key_flaws, revision_of, table_flaws, upgrade
from evilpegs_server.storage.errors import DatabaseMissingError, DatabaseUnusableError
from evilpegs_server.storage.location import parse_url, shown_url
from evilpegs_server.storage.log.interface import Database
from evilpegs_server.storage.log.tables import REVISION, copied_log, log, versions
from evilpegs_server.storage.log.writer import Fact, Write, merge
from evilpegs_server.storage.queries import closing_engine, read_value

TABLES: Final = copied_log()
_TEXT: Final = sa.Text(collation="C")

# the public half of the key with which all nodes sign
TABLES.tables["log"].append_column(sa.Column("key", sa.Text))
sa.Index("ix_players_created_at", TABLES.tables["players"].c.created_at)
sa.Index("ix_matches_ladder", TABLES.tables["matches"].c.ladder)
sa.Index("ix_matches_player", TABLES.tables["matches"].c.player)
# in the order in which they were added, as SQLite numbers all rows
TABLES.tables["ladders"].append_column(sa.Column("rowid", sa.BigInteger, sa.Identity(always=True), nullable=False))
TABLES.tables["entrants"].append_column(sa.Column("entered", sa.Boolean, nullable=False, server_default=sa.false()))

# `n` numbers what a node wrote, in the order of its commits: the place of a follower is a number per node
_events: Final = TABLES.tables["events"]
_events.append_column(sa.Column("node", _TEXT, nullable=False))
_events.append_column(sa.Column("n", sa.BigInteger, nullable=False))
_events.append_constraint(sa.PrimaryKeyConstraint("match", "seq"))
_events.append_constraint(sa.UniqueConstraint("node", "n"))

# A node is a server. Each start of it is a run, whose number is in every statement that it sends; `seen` is when it
# last wrote, by the clock of the database, and `lease` how long it may be silent.
nodes: Final = sa.Table(
    "nodes",
    TABLES,
    sa.Column("name", _TEXT, primary_key=True),
    sa.Column("run", sa.Integer, nullable=False),
    sa.Column("written", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("seen", sa.TIMESTAMP(timezone=True), nullable=False),
    sa.Column("lease", sa.Interval, nullable=False),
    postgresql_with={"fillfactor": 50},
)
# The node that plays an open match; with each change of the owner the epoch grows. `wanted` is the node that asks for
# it. The times are those of a match that was handed over: of the turn so far, until its timer, and of credited stalls.
owners: Final = sa.Table(
    "owners",
    TABLES,
    sa.Column("match", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("node", _TEXT, nullable=False),
    sa.Column("epoch", sa.Integer, nullable=False, server_default="1"),
    sa.Column("wanted", sa.Text),
    sa.Column("spent_ms", sa.Double),
    sa.Column("wait_ms", sa.Double),
    sa.Column("credit_ms", sa.Double),
)
sa.Index("ix_owners_node", owners.c.node)
sa.Index("ix_owners_wanted", owners.c.node, postgresql_where=sa.text("wanted IS NOT NULL"))
# a node takes a thousand ids of players at a time
sa.Sequence("player_ids", increment=1000, metadata=TABLES)

# no wait is as long as the usual lease; a connection whose other end is gone is noticed within it too
CONNECT: Final[Mapping[str, Any]] = {
    "connect_timeout": 4,
    "application_name": "evilpegs",
    # compiling takes 100 ms, and every statement here is short
    "options": "-c statement_timeout=4s -c lock_timeout=2s -c idle_in_transaction_session_timeout=4s -c jit=off",
    "tcp_user_timeout": 4000,
}
_UPGRADE: Final = "run evilpegs database upgrade"
_SERVER: Final = sa.text("""
    SELECT CAST(current_setting('server_version_num') AS int) / 10000, current_setting('transaction_read_only') = 'on'
""")
_TABLE_COUNT: Final = sa.text("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()")
_HAS_NODES: Final = "SELECT EXISTS (SELECT 1 FROM nodes WHERE seen >= clock_timestamp() - lease)"


class PostgresDatabase(Database):
    """The log at ``url``, whose tables only a command makes or migrates."""

    new_events = sa.text("""
        SELECT k.name AS node, k.written, e.n, e.match, e.seq, e.at, e.type, e.json, e.hash FROM nodes AS k
        LEFT JOIN LATERAL (
            SELECT * FROM events WHERE node = k.name
            AND n >= coalesce(CAST(CAST(:places AS json) ->> k.name AS bigint), 0) ORDER BY n LIMIT :limit) AS e ON true
        ORDER BY k.name, e.n
    """)
    log_row = sa.text("SELECT id, deleted, key FROM log")

    def __init__(self, engine: sa.Engine, url: str) -> None:
        super().__init__(engine)
        self.url = url

    @classmethod
    def open(cls, url: str, log: BoundLogger | None = None) -> Self:  # noqa: ARG003 - there is nothing to migrate
        engine = _new_engine(url)
        try:
            _check(engine, shown_url(url))
        except BaseException:
            engine.dispose()
            raise
        return cls(engine, url)

    @classmethod
    def upgrade(cls, url: str) -> bool:
        name = shown_url(url)
        with closing_engine(_new_engine(url)) as engine:
            with engine.begin() as connection:
                _check_server(connection, name)
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(2)"))
                if (revision := revision_of(connection)) is not None:
                    if is_known(revision):
                        upgrade(connection)
                elif connection.execute(_TABLE_COUNT).scalar():
                    raise DatabaseUnusableError(f"{name} has tables of another program; name an empty database")
                else:
                    TABLES.create_all(connection)
                    connection.execute(sa.insert(log).values(id=token_hex(8)))
                    connection.execute(sa.insert(versions).values(version_num=REVISION))
            _check(engine, name)
        return revision is None

    @classmethod
    @contextmanager
    def without_servers(cls, url: str) -> Iterator[bool]:
        with closing_engine(cls.open(url)) as database:
            is_free = not read_value(database, _HAS_NODES)  # heard of within their lease
        yield is_free

    @classmethod
    def flaws(cls, url: str) -> tuple[str, ...]:
        with closing_engine(cls.open(url)) as database, database.connect() as connection:
            return tuple(table_flaws(connection, TABLES) or key_flaws(connection, TABLES))

    def exclude_others(self, connection: sa.Connection) -> None:
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(1)"))

    @contextmanager
    def snapshot(self) -> Iterator[sa.Connection]:
        with self.connect() as connection:
            yield connection.execution_options(isolation_level="REPEATABLE READ")
            connection.rollback()

    @staticmethod
    @contextmanager
    def filling(
        connection: sa.Connection, table: str, columns: Sequence[str]
    ) -> Iterator[Callable[[Sequence[Any]], None]]:
        """Yield a function that writes a row of a table, faster than any statement would."""
        with (
            closing(connection.connection.cursor()) as cursor,
            cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy,
        ):
            yield copy.write_row

    def prepare_to_forget(self, connection: sa.Connection, player: int) -> None:
        theirs = "DELETE FROM owners WHERE match IN (SELECT number FROM matches WHERE player = :player)"
        connection.execute(sa.text(theirs), {"player": player})

    def overwrite_deleted(self) -> bool:
        return True  # as far as anybody can: PostgreSQL has its own ways with its files


def _check(engine: sa.Engine, name: str) -> None:
    with engine.connect() as connection:
        _check_server(connection, name)
        if (revision := revision_of(connection)) is None:
            raise DatabaseMissingError(f"the database {name} has no tables of evilpegs; {_UPGRADE} --database {name}")
    if not is_known(revision):
        what = f"its tables are of the version {revision!r:.50}, and this program knows none after {REVISION}"
        raise DatabaseUnusableError(f"the database {name} cannot be used: {what}; install the version that wrote it")
    if revision != REVISION:
        raise DatabaseUnusableError(f"the tables of {name} are of an older version; stop all nodes, then {_UPGRADE}")


def _new_engine(url: str) -> sa.Engine:
    engine = sa.create_engine(
        parse_url(url).set(drivername="postgresql+psycopg"),
        poolclass=QueuePool,
        pool_size=4,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args=dict(CONNECT),
    )
    name = shown_url(url)

    def explain(context: Any) -> BaseException | None:
        # a session that began while the database was read-only would stay so
        context.is_disconnect |= getattr(context.original_exception, "sqlstate", None) == READ_ONLY
        return explain_postgres(context.original_exception, name, is_cut=context.is_disconnect)

    sa.event.listen(engine, "handle_error", explain, retval=True)
    return engine


def _check_server(connection: Any, name: str) -> None:
    version, is_read_only = connection.execute(_SERVER).one()
    if version < OLDEST:
        raise DatabaseUnusableError(f"the database {name} is of PostgreSQL {version}; install {OLDEST} or newer")
    if is_read_only:
        raise DatabaseUnusableError(f"the database {name} is read-only; name the primary server, or make it writable")


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
