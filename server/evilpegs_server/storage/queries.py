"""Single queries."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import Engine, Executable, text

from evilpegs_server.storage.log.interface import Database

Reader = Engine | Database
"""What can be read: a log, or the engine of a derived file."""
_D = TypeVar("_D", bound=Reader)


@contextmanager
def closing_engine(engine: _D) -> Iterator[_D]:
    try:
        yield engine
    finally:
        engine.dispose()


def read(database: Reader, query: str | Executable, **parameters: object) -> Sequence[Any]:
    with database.connect() as connection:
        return connection.execute(_of_text(query) if isinstance(query, str) else query, parameters).all()


def read_value(database: Reader, query: str | Executable, **parameters: object) -> Any:
    """Return the first column of the first row, None without a row."""
    with database.connect() as connection:
        return connection.execute(_of_text(query) if isinstance(query, str) else query, parameters).scalar()


@lru_cache(500)  # to make and compile one takes longer than most queries
def _of_text(query: str) -> Executable:
    return text(query)
