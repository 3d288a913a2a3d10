"""A database in a file, copied to an empty one in PostgreSQL with all ids and hashes."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any, Final

import orjson

from evilpegs_server.storage.backup import readable_database
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.location import connect, database_file, shown_url
from evilpegs_server.storage.mirror import COPIED
from evilpegs_server.storage.mirrored_rows import TABLES
from evilpegs_server.storage.players import FIRST_ADDED
from evilpegs_server.storage.postgres.database import create_tables, open_postgres
from evilpegs_server.storage.queries import closing_engine

_ROWS: Final = 5_000
_HAS_ROWS: Final = (
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
# a node that is gone, so that others take its matches
_NODE: Final = "INSERT INTO nodes SELECT * FROM json_populate_record(NULL::nodes, CAST(? AS json))"


def copy_to_postgres(url: str, target: str, report: Callable[[str, int, int], None]) -> None:
    """Copy the file at ``url``, in the state that it has now, also while a server uses it.

    Raises DatabaseUnusableError, also for a target that has players or matches; nothing is copied then.
    """
    create_tables(target)
    with (
        closing_engine(open_postgres(target)) as engine,
        readable_database(url) as readable,
        closing(connect(database_file(readable), "ro")) as source,
        engine.begin() as connection,
    ):
        source.execute("BEGIN")
        for wait in ("statement_timeout", "idle_in_transaction_session_timeout"):
            connection.exec_driver_sql(f"SET LOCAL {wait} = 0")
        connection.exec_driver_sql("LOCK TABLE players, matches, acts")  # no node may start meanwhile
        if connection.exec_driver_sql(_HAS_ROWS).scalar():
            what = f"the database {shown_url(target)} has players or matches"
            raise DatabaseUnusableError(f"{what}; name an empty database, such as a new one of createdb")
        name, deleted, last = source.execute("SELECT id, deleted, (SELECT max(id) FROM events) FROM log").fetchone()
        connection.exec_driver_sql("UPDATE log SET id = ?, deleted = ?", (name, deleted))
        node = {"name": COPIED, "run": 1, "written": max(deleted, last or 0), "seen": "-infinity", "lease": "0"}
        connection.exec_driver_sql(_NODE, (orjson.dumps(node).decode(),))
        with closing(connection.connection.cursor()) as cursor:
            for table in TABLES:
                _copy_table(source, cursor, table, report)
        for statement in _FINISH.split(";"):
            connection.exec_driver_sql(statement)


def _copy_table(source: sqlite3.Connection, cursor: Any, table: str, report: Callable[[str, int, int], None]) -> None:
    columns = {name: name for (name,) in source.execute("SELECT name FROM pragma_table_info(?)", (table,))}
    if table == "events":
        columns |= {"n": columns.pop("id"), "node": f"'{COPIED}'"}
    (total,) = source.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608
    rows = source.execute(f"SELECT {', '.join(columns.values())} FROM {table} ORDER BY rowid")  # noqa: S608
    with cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
        for done, row in enumerate(rows):
            if done % _ROWS == 0:
                report(table, done, total)
            copy.write_row(row)
