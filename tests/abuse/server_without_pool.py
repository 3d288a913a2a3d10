"""A server that keeps no idle connection to its database, so that each read needs descriptors."""

from sqlalchemy import event

from evilpegs.main import main
from evilpegs_server.storage.engines.sqlite import SqliteDatabase

open_with_pool = SqliteDatabase.open


def open_without_pool(url, log=None):
    """Return a database whose connections are closed when they are given back."""
    database = open_with_pool(url, log)
    event.listen(database.engine, "checkin", lambda _connection, record: record.invalidate())
    return database


if __name__ == "__main__":
    SqliteDatabase.open = open_without_pool
    main()
