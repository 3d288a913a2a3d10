"""What a database must look like: the declared tables with their columns and keys, and how an older one gets there."""

from collections.abc import Iterable
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
        f"the table {table.name} lacks the {key}"
        for table in tables.sorted_tables
        for key in sorted(_declared_keys(table) - _found_keys(inspector, table.name))
    ]


def _declared_keys(table: Table) -> set[str]:
    constraints = table.constraints
    foreign = (each for each in constraints if isinstance(each, ForeignKeyConstraint))
    unique = (each for each in constraints if isinstance(each, UniqueConstraint))
    return {
        f"primary key {_columns(table.primary_key.columns.keys())}",
        *(f"foreign key {_columns(each.columns.keys())} to {each.referred_table.name}" for each in foreign),
        *(f"unique key {_columns(each.columns.keys())}" for each in unique),
        *(f"index {each.name} {_columns(each.columns.keys())}" for each in table.indexes),
    }


def _found_keys(inspector: Inspector, table: str) -> set[str]:
    foreign = inspector.get_foreign_keys(table)
    return {
        f"primary key {_columns(inspector.get_pk_constraint(table)['constrained_columns'])}",
        *(f"foreign key {_columns(each['constrained_columns'])} to {each['referred_table']}" for each in foreign),
        *(f"unique key {_columns(each['column_names'])}" for each in inspector.get_unique_constraints(table)),
        *(f"index {each['name']} {_columns(each['column_names'])}" for each in inspector.get_indexes(table)),
    }


def _columns(names: Iterable[str | None]) -> str:  # None stands for an expression
    return f"({', '.join(map(str, names))})"
