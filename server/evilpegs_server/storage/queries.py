"""Single queries, and transactions that write what follows from what they read."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine


@contextmanager
def closing_engine(engine: Engine) -> Iterator[Engine]:
    try:
        yield engine
    finally:
        engine.dispose()


def read(engine: Engine, query: str, *parameters: object) -> Sequence[Any]:
    with engine.connect() as connection:
        return connection.exec_driver_sql(query, parameters).all()


def read_value(engine: Engine, query: str, *parameters: object) -> Any:
    """Return the first column of the first row, None without a row."""
    with engine.connect() as connection:
        return connection.exec_driver_sql(query, parameters).scalar()


def is_postgres(engine: Engine) -> bool:
    return engine.dialect.name == "postgresql"


@contextmanager
def changing(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection:
        # or another program could write between what is read and written here
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(1)" if is_postgres(engine) else "BEGIN IMMEDIATE")
        yield connection
        connection.commit()
