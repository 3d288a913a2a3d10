"""A database in a file, copied to an empty one in PostgreSQL with all ids and hashes."""

from collections.abc import Callable
from typing import Final

import sqlalchemy as sa

from evilpegs_server.storage.copies.backup import readable_database
from evilpegs_server.storage.copies.mirrored_rows import TABLES
from evilpegs_server.storage.copies.places import COPIED
from evilpegs_server.storage.engines import sqlite
from evilpegs_server.storage.engines.postgres import PostgresDatabase, nodes
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.location import shown_url
from evilpegs_server.storage.log import tables
from evilpegs_server.storage.log.players import FIRST_ADDED
from evilpegs_server.storage.queries import closing_engine

_ROWS: Final = 5_000
_BEGIN: Final = """
    SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
    LOCK TABLE players, matches, acts
"""  # so that no node starts meanwhile
_HAS_ROWS: Final = sa.text(
    "SELECT EXISTS (SELECT 1 FROM players) OR EXISTS (SELECT 1 FROM matches) OR EXISTS (SELECT 1 FROM acts)"
)
_FINISH: Final = f"""
    UPDATE entrants AS e SET entered = true
    WHERE EXISTS (SELECT 1 FROM matches AS m WHERE m.ladder = e.round AND m.player = e.player);
    INSERT INTO owners (match, node) SELECT number, '{COPIED}' FROM matches WHERE NOT over;
    SELECT setval(pg_get_serial_sequence('matches', 'number'), max(number)) FROM matches;
    SELECT setval(pg_get_serial_sequence('acts', 'id'), max(id)) FROM acts;
    SELECT setval('player_ids', max(id)) FROM players WHERE id < {FIRST_ADDED};
    ANALYZE
"""  # noqa: S608 - of constants
_LOG: Final = sa.text("SELECT id, deleted, (SELECT max(id) FROM events) AS last FROM log")


def copy_to_postgres(url: str, target: str, report: Callable[[str, int, int], None]) -> None:
    """Copy the file at ``url``, in the state that it has now, also while a server uses it.

    Raises DatabaseUnusableError, also for a target that has players or matches; nothing is copied then.
    """
    PostgresDatabase.upgrade(target)
    with (
        closing_engine(PostgresDatabase.open(target)) as database,
        readable_database(url) as readable,
        closing_engine(sqlite.SqliteDatabase.open_source(readable)) as file,
        file.snapshot() as source,
        database.begin() as connection,
    ):
        _execute_all(connection, _BEGIN)
        if connection.execute(_HAS_ROWS).scalar():
            what = f"the database {shown_url(target)} has players or matches"
            raise DatabaseUnusableError(f"{what}; name an empty database, such as a new one of createdb")
        name, deleted, last = source.execute(_LOG).one()
        connection.execute(sa.update(tables.log).values(id=name, deleted=deleted))
        # a node that is gone, so that others take its matches
        gone = {"seen": sa.text("'-infinity'"), "lease": sa.text("'0'")}
        connection.execute(sa.insert(nodes).values(name=COPIED, run=1, written=max(deleted, last or 0), **gone))
        for table in TABLES:
            _copy_table(source, connection, table, report)
        _execute_all(connection, _FINISH)


def _execute_all(connection: sa.Connection, statements: str) -> None:
    for statement in statements.split(";"):
        connection.execute(sa.text(statement))


def _copy_table(
    source: sa.Connection, target: sa.Connection, table: sa.Table, report: Callable[[str, int, int], None]
) -> None:
    rows: sa.Select[tuple[object, ...]] = sa.select(table).order_by(sa.text("rowid"))
    if table is tables.events:
        rows = rows.add_columns(sa.literal_column("id").label("n"), sa.literal(COPIED).label("node"))
    total = source.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
    found = source.execute(rows, execution_options={"yield_per": _ROWS})
    with PostgresDatabase.filling(target, table.name, list(found.keys())) as write:
        for done, row in enumerate(found):
            if done % _ROWS == 0:
                report(table.name, done, total)
            write(row)
