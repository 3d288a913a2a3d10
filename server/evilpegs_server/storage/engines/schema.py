"""What a database must look like: the declared tables with their columns and keys, and how an older one gets there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Inspector, MetaData, Table, inspect, select
from sqlalchemy.schema import ForeignKeyConstraint, UniqueConstraint

from evilpegs_server.storage.log.tables import REVISION, versions

_MIGRATIONS: Final = Path(__file__).parents[1] / "migrations"


def alembic_config() -> Any:
    """Return the configuration of the migrations; the caller adds a connection to its attributes."""
    from alembic.config import Config  # noqa: PLC0415 - takes longer than all else here, for databases of before

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.set_main_option("path_separator", "os")
    return config


def upgrade(connection: Connection, feed: Path | None = None) -> None:
    """Bring the tables to this version; ``feed`` is the file that takes the place of the MQTT feed."""
    from alembic import command  # noqa: PLC0415 - likewise

    config = alembic_config()
    config.attributes |= {"connection": connection, "feed": feed}
    command.upgrade(config, "head")


def revision_of(connection: Connection) -> str | None:
    """Return the revision of the tables, None if there are none."""
    if not inspect(connection).has_table(versions.name):
        return None
    return connection.execute(select(versions.c.version_num)).scalar()


def is_known(revision: str) -> bool:
    return len(revision) == len(REVISION) and revision.isdecimal() and "0001" <= revision <= REVISION


def table_flaws(connection: Connection, tables: MetaData) -> list[str]:
    """Return what tables and columns are missing, or not of ours."""
    inspector, flaws = inspect(connection), []
    found, views = set(inspector.get_table_names()), set(inspector.get_view_names())
    for table in tables.sorted_tables:
        if table.name in views:
            flaws.append(f"{table.name} is a view, not a table")
        elif table.name not in found:
            flaws.append(f"the table {table.name} is missing")
        else:
            columns = {column["name"] for column in inspector.get_columns(table.name)}
            for column in sorted(columns ^ set(table.columns.keys())):
                what = "has a column of somebody else," if column in columns else "lacks the column"
                flaws.append(f"the table {table.name} {what} {column}")
    return flaws


def key_flaws(connection: Connection, tables: MetaData) -> list[str]:
    """Return what keys and indexes the tables, which are all there, lack; others are no flaws."""
    inspector = inspect(connection)
    return [
        f"the table {table.name} lacks the {kind} {' '.join(key)}"
        for table in tables.sorted_tables
        for kind, keys in _declared_keys(table).items()
        for key in sorted(keys - _found_keys(inspector, table.name)[kind])
    ]


def _declared_keys(table: Table) -> Mapping[str, set[tuple[str, ...]]]:
    foreign = {
        (*(column.name for column in each.columns), "->", each.referred_table.name)
        for each in table.constraints
        if isinstance(each, ForeignKeyConstraint)
    }
    unique = (each for each in table.constraints if isinstance(each, UniqueConstraint))
    return {
        "primary key": {tuple(column.name for column in table.primary_key)},
        "foreign key": foreign,
        "unique key": {tuple(column.name for column in each.columns) for each in unique},
        "index": {(str(each.name), *(column.name for column in each.columns)) for each in table.indexes},
    }


def _found_keys(inspector: Inspector, table: str) -> Mapping[str, set[tuple[str, ...]]]:
    foreign = inspector.get_foreign_keys(table)
    return {
        "primary key": {tuple(inspector.get_pk_constraint(table)["constrained_columns"])},
        "foreign key": {(*each["constrained_columns"], "->", each["referred_table"]) for each in foreign},
        "unique key": {tuple(each["column_names"]) for each in inspector.get_unique_constraints(table)},
        "index": {(str(each["name"]), *map(str, each["column_names"])) for each in inspector.get_indexes(table)},
    }
