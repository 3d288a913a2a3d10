"""The log of a server, opened for as long as it plays: its engine, its store, and the name under which it owns it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_server.storage.archive import load_last_event_id
from evilpegs_server.storage.database import guard_connections, open_database
from evilpegs_server.storage.location import database_file, is_postgres
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.sqlite_store import SqliteStore
from evilpegs_server.storage.writer import Store

if TYPE_CHECKING:
    from evilpegs_server.storage.postgres.node import ServerNode


@dataclass(frozen=True, slots=True)
class OpenLog:
    engine: Engine
    store: Store
    names: int = 1
    """Of the file; several are a danger, because SQLite finds its side files by the name."""
    node: "ServerNode | None" = None
    """On PostgreSQL only."""


Push = Callable[[Callable[[], object]], object]


def open_log(url: str, node: str, lease_seconds: float, log: BoundLogger, push: Push) -> OpenLog:
    """Open the log for the only server on a file, or for a node on PostgreSQL; ``push`` gets what closes it.

    Raises DatabaseUnusableError.
    """
    if not is_postgres(url):
        # the file is locked first and let go last
        lock = DatabaseLock(url)
        push(lock.release)
        engine = open_database(url, log)
        push(engine.dispose)
        guard_connections(engine, lock)
        return OpenLog(engine, SqliteStore(engine, lock.check, load_last_event_id(engine)), lock.names)
    engine = open_database(url)
    push(engine.dispose)
    from evilpegs_server.storage.postgres.node import ServerNode  # noqa: PLC0415 - needs the extra `postgres`

    own = ServerNode(engine, node, url, lease_seconds)
    push(own.end)
    database_file(url).parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # for the files beside it
    return OpenLog(engine, own.store, node=own)
