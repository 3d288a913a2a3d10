"""A server that keeps no idle connection to its database, so that each read needs descriptors."""

from sqlalchemy import event

from evilpegs.main import main
from evilpegs_server import server
from evilpegs_server.storage.database import open_database


def open_without_pool(url, log):
    """Return an engine whose connections are closed when they are given back."""
    engine = open_database(url, log)
    event.listen(engine, "checkin", lambda _connection, record: record.invalidate())
    return engine


if __name__ == "__main__":
    server.open_database = open_without_pool
    main()
