"""PostgreSQL databases: engines on their tables, and how these are made."""

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from evilpegs_protocol.suggestions import install_hint
from evilpegs_server.storage.errors import DatabaseMissingError, DatabaseUnusableError
from evilpegs_server.storage.location import parse_url, shown_url
from evilpegs_server.storage.queries import read_value
from evilpegs_server.storage.schema import revisions

OLDEST: Final = 14
# no wait is as long as the usual lease; a connection whose other end is gone is noticed within it too
CONNECT: Final[Mapping[str, Any]] = {
    "connect_timeout": 4,
    "application_name": "evilpegs",
    # compiling takes 100 ms, and every statement here is short
    "options": "-c statement_timeout=4s -c lock_timeout=2s -c idle_in_transaction_session_timeout=4s -c jit=off",
    "tcp_user_timeout": 4000,
}
_SCHEMA: Final = Path(__file__).with_name("schema.sql")
_UPGRADE: Final = "run evilpegs database upgrade"


def open_postgres(url: str) -> Engine:
    """Return an engine that raises DatabaseUnusableError where it applies, as this does for other tables or versions.

    Queries may mark parameters with ``?``, as in SQLite.
    """
    engine = _new_engine(url)
    try:
        check_postgres(engine, shown_url(url))
    except BaseException:
        engine.dispose()
        raise
    return engine


def check_postgres(engine: Engine, name: str) -> None:
    with engine.connect() as connection:
        _check_server(connection, name)
        if connection.exec_driver_sql("SELECT to_regclass('alembic_version')").scalar() is None:
            raise DatabaseMissingError(f"the database {name} has no tables of evilpegs; {_UPGRADE} --database {name}")
        revision = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    if revision not in (known := revisions()):
        what = f"its tables are of the version {revision!r:.50}, and this program knows none after {known[0]}"
        raise DatabaseUnusableError(f"the database {name} cannot be used: {what}; install the version that wrote it")
    if revision != known[0]:
        raise DatabaseUnusableError(f"the tables of {name} are of an older version; stop all nodes, then {_UPGRADE}")


def create_tables(url: str) -> bool:
    """Make the tables unless the database has them; return whether it had none. Raises DatabaseUnusableError."""
    engine, name = _new_engine(url), shown_url(url)
    try:
        with engine.begin() as connection:
            _check_server(connection, name)
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(2)")
            tables = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
            is_new = connection.exec_driver_sql("SELECT to_regclass('alembic_version')").scalar() is None
            if is_new and connection.exec_driver_sql(tables).scalar():
                raise DatabaseUnusableError(f"{name} has tables of another program; name an empty database")
            if is_new:
                connection.exec_driver_sql(_SCHEMA.read_text())
        check_postgres(engine, name)
    finally:
        engine.dispose()
    return is_new


def has_nodes(engine: Engine) -> bool:
    """Return whether any server was heard of within its lease."""
    return bool(read_value(engine, "SELECT EXISTS (SELECT 1 FROM nodes WHERE seen >= clock_timestamp() - lease)"))


def _new_engine(url: str) -> Engine:
    if importlib.util.find_spec("psycopg") is None:
        raise DatabaseUnusableError(f"a database at postgresql:// needs psycopg; {install_hint('postgres')}")
    from evilpegs_server.storage.postgres.errors import READ_ONLY, explain_postgres  # noqa: PLC0415 - needs the extra

    engine = create_engine(
        parse_url(url).set(drivername="postgresql+psycopg"),
        poolclass=QueuePool,
        pool_size=4,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args=dict(CONNECT),
    )
    event.listen(engine, "before_cursor_execute", _translate, retval=True)
    name = shown_url(url)

    def explain(context: Any) -> BaseException | None:
        # a session that began while the database was read-only would stay so
        context.is_disconnect |= getattr(context.original_exception, "sqlstate", None) == READ_ONLY
        return explain_postgres(context.original_exception, name, is_cut=context.is_disconnect)

    event.listen(engine, "handle_error", explain, retval=True)
    return engine


def close_postgres(engine: Engine) -> None:
    """Close all connections, those that threads still use as soon as they come back."""
    pool = engine.pool
    engine.dispose()
    event.listen(pool, "checkin", lambda connection, _: connection.close())


def _translate(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool) -> Any:
    return statement.replace("?", "%s"), parameters


def _check_server(connection: Any, name: str) -> None:
    version, is_read_only = connection.exec_driver_sql(
        "SELECT current_setting('server_version_num')::int / 10000, current_setting('transaction_read_only') = 'on'"
    ).one()
    if version < OLDEST:
        raise DatabaseUnusableError(f"the database {name} is of PostgreSQL {version}; install {OLDEST} or newer")
    if is_read_only:
        raise DatabaseUnusableError(f"the database {name} is read-only; name the primary server, or make it writable")
