"""Single queries, and transactions that write what follows from what they read."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine


def read(engine: Engine, query: str, *parameters: object) -> Sequence[Any]:
    with engine.connect() as connection:
        return connection.exec_driver_sql(query, parameters).all()


def read_value(engine: Engine, query: str, *parameters: object) -> Any:
    """Return the first column of the first row, None without a row."""
    with engine.connect() as connection:
        return connection.exec_driver_sql(query, parameters).scalar()


@contextmanager
def changing(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # or a server could write between what is read and written here
        yield connection
        connection.commit()
