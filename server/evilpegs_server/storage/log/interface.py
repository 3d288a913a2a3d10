"""What a log can do whichever engine it has. `evilpegs_server.storage.database` chooses the engine by the URL."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import ClassVar, Self

from sqlalchemy import Connection, Engine, TextClause, event
from structlog.stdlib import BoundLogger


class Database(ABC):
    """The log at a URL. Whatever uses it may raise DatabaseUnusableError."""

    new_events: ClassVar[TextClause]
    """Query for events in the order in which each node stored them: ``:places`` is JSON, of each node the number from
    which on; at most ``:limit`` of each. Rows are node, written, n, and the event; ``written`` is the highest n."""
    log_row: ClassVar[TextClause]
    """Query for the id of the log, the highest id that was deleted, and the public key of the nodes."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @classmethod
    @abstractmethod
    def open(cls, url: str, log: BoundLogger | None = None) -> Self:
        """Open the log, which is made or migrated first if that needs no command of the operator."""

    @classmethod
    def open_existing(cls, url: str) -> Self:
        """Open the log like `open`, but raise DatabaseMissingError if there is none."""
        return cls.open(url)

    @classmethod
    def open_source(cls, url: str) -> Self:
        """Open the log to read it as it is: nothing is made or migrated."""
        return cls.open(url)

    @classmethod
    @abstractmethod
    def upgrade(cls, url: str) -> bool:
        """Make the tables, or bring them to this version; return whether there were none."""

    @classmethod
    @abstractmethod
    def without_servers(cls, url: str) -> AbstractContextManager[bool]:
        """Yield whether no server uses the log; where one can be kept from it, none starts within the block."""

    @classmethod
    @abstractmethod
    def flaws(cls, url: str) -> tuple[str, ...]:
        """Return what tables, columns, keys and indexes are missing or not of ours."""

    def connect(self) -> Connection:
        return self.engine.connect()

    def begin(self) -> AbstractContextManager[Connection]:
        return self.engine.begin()

    def dispose(self) -> None:
        close_connections(self.engine)

    @contextmanager
    def changing(self) -> Iterator[Connection]:
        """Yield a transaction for writing what follows from what is read in it; other programs wait."""
        with self.connect() as connection:
            self.exclude_others(connection)
            yield connection
            connection.commit()

    @abstractmethod
    def exclude_others(self, connection: Connection) -> None:
        """Begin a transaction, during which no other program changes what it reads."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Connection]:
        """Yield a transaction that reads one state of the log."""

    @abstractmethod
    def prepare_to_forget(self, connection: Connection, player: int) -> None:
        """Do what deleting a player's matches needs besides, in the transaction that does."""

    @abstractmethod
    def overwrite_deleted(self) -> bool:
        """Overwrite in the files what was deleted; return False if a reader is in the way."""


def close_connections(engine: Engine) -> None:
    """Close all connections, those that threads still use as soon as they come back; others may be opened."""
    pool = engine.pool
    engine.dispose()
    event.listen(pool, "checkin", lambda connection, _: connection.close())
    pool.dispose()  # of those that came back meanwhile
