"""What a database must look like: the tables of its revision, with their columns, and no trigger on them.

The tables of a revision are those that the migrations make in an empty database in memory, which takes 35 ms.
"""

import json
import sqlite3
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import NullPool, create_engine

from evilpegs_server.storage.errors import RESTORE, DatabaseDamagedError, DatabaseUnusableError

ANOTHER: Final = "name another with --database sqlite:///FILE"
_MIGRATIONS: Final = Path(__file__).with_name("migrations")
_VERSIONS: Final = "alembic_version"
# that every version of the database has
_OURS: Final = frozenset({"players", "matches", "events"})
_COLUMNS: Final = """
    SELECT t.name, json_group_array(c.name) FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c
    WHERE t.type = 'table' GROUP BY t.name
"""


def alembic_config() -> Config:
    """Return the configuration of the migrations; the caller adds a connection to its attributes."""
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.set_main_option("path_separator", "os")
    return config


def revisions() -> list[str]:
    """Return the revisions that this version knows, the newest first."""
    return [each.revision for each in ScriptDirectory.from_config(alembic_config()).walk_revisions()]


def check_schema(connection: sqlite3.Connection, file: Path) -> None:
    """Raise DatabaseUnusableError for the first flaw of `schema_flaws`."""
    for flaw, remedy in schema_flaws(connection, file).items():
        kind = DatabaseDamagedError if remedy is RESTORE else DatabaseUnusableError
        raise kind(f"the database {file} cannot be used: {flaw}; {remedy}")


def schema_flaws(connection: sqlite3.Connection, file: Path) -> dict[str, str]:
    """Return each flaw of the tables with its remedy. Raises DatabaseUnusableError if another program made them."""
    kinds = dict(connection.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')"))
    if not kinds:
        return {}
    if len(_OURS & kinds.keys()) < 2:  # one of them may be missing
        message = f"{file} is not a database of evilpegs: it has a {kinds[(first := min(kinds))]} {first!r}; {ANOTHER}"
        raise DatabaseUnusableError(message)
    if kinds.get(_VERSIONS) != "table":
        return {f"the table {_VERSIONS} is missing": RESTORE}
    ((revision,), *others) = connection.execute(f"SELECT version_num FROM {_VERSIONS}").fetchall() or [("",)]  # noqa: S608
    if not revision or others:
        return {f"the table {_VERSIONS} does not have one row": RESTORE}
    if revision not in (known := revisions()):
        flaw = f"its tables are of the version {revision!r:.50}, and this program knows none after {known[0]}"
        return {flaw: f"install the version of evilpegs that wrote it, or {ANOTHER}"}
    return _table_flaws(connection, kinds, _columns_of(revision))


def _table_flaws(
    connection: sqlite3.Connection, kinds: Mapping[str, str], expected: Mapping[str, frozenset[str]]
) -> dict[str, str]:
    found, flaws = _columns(connection), {}
    for table, columns in expected.items():
        if table not in kinds:
            flaws[f"the table {table} is missing"] = RESTORE
        elif kinds[table] == "view":
            flaws[f"{table} is a view, not a table"] = RESTORE
        else:
            for column in sorted(columns ^ found[table]):
                what = "lacks the column" if column in columns else "has a column of somebody else,"
                flaws[f"the table {table} {what} {column}"] = RESTORE
    for trigger, table in connection.execute("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'"):
        flaw = f"somebody else made the trigger {trigger} on {table}"
        flaws[flaw] = f"remove it in SQLite with DROP TRIGGER {trigger}"
    return flaws


@cache
def _columns_of(revision: str) -> Mapping[str, frozenset[str]]:
    config = alembic_config()
    with create_engine("sqlite://", poolclass=NullPool).connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)  # noqa: S101 - of the URL
        return _columns(driver)


def _columns(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    return {table: frozenset(json.loads(columns)) for table, columns in connection.execute(_COLUMNS)}
