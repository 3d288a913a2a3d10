"""A database in a file, copied to an empty one in PostgreSQL with all ids and hashes."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any, Final

import orjson

from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.location import connect, database_file, shown_url
from evilpegs_server.storage.mirror import COPIED
from evilpegs_server.storage.players import FIRST_ADDED
from evilpegs_server.storage.postgres.database import create_tables, open_postgres
from evilpegs_server.storage.private_copy import readable_database

_ROWS: Final = 5_000
# by table: its columns, and what they are in the file
_TABLES: Final = {
    "players (id, name, skeleton, kind, token_hash, created_at)": "id, name, skeleton, kind, token_hash, created_at",
    "matches (number, id, player, ladder, seed, started_at, over, client)": """
        number, id, player, ladder, seed, started_at, iif(over, 't', 'f'), client""",
    "events (match, seq, at, type, json, hash, node, n)": f"match, seq, at, type, json, hash, '{COPIED}', id",
    "begun (match, game, at, client_nonce)": "match, game, at, client_nonce",
    "luck (match, game, luck, curve)": "match, game, luck, curve",
    "acts (id, at, act, player, reason)": "id, at, act, player, reason",
    "hidden (player)": "player",
    "ladders (id, json)": "id, json",
    "rounds (id, base, games, sealed, opens, closes, published)": """
        id, base, games, iif(sealed, 't', 'f'), opens, closes, published""",
    "entrants (round, player, excluded)": "round, player, excluded",
}
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
    engine = open_postgres(target)
    try:
        with (
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
                for table, columns in _TABLES.items():
                    _copy_table(source, cursor, table, columns, report)
            for statement in _FINISH.split(";"):
                connection.exec_driver_sql(statement)
    finally:
        engine.dispose()


def _copy_table(
    source: sqlite3.Connection, cursor: Any, table: str, columns: str, report: Callable[[str, int, int], None]
) -> None:
    name = table.partition(" ")[0]
    (total,) = source.execute(f"SELECT count(*) FROM {name}").fetchone()  # noqa: S608
    rows = source.execute(f"SELECT {columns} FROM {name} ORDER BY rowid")  # noqa: S608
    with cursor.copy(f"COPY {table} FROM STDIN") as copy:
        for done, row in enumerate(rows):
            if done % _ROWS == 0:
                report(name, done, total)
            copy.write_row(row)
