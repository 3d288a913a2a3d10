"""The store of a writer on whichever engine a test uses."""

import weakref

from evilpegs_server.storage.sqlite_store import SqliteStore

LEASE_SECONDS = 2.0
_nodes = weakref.WeakKeyDictionary()


def postgres_url_of(engine):
    return engine.url.set(drivername="postgresql").render_as_string(hide_password=False)


def new_node(engine, name, lease_seconds=LEASE_SECONDS, **options):
    from evilpegs_server.storage.postgres.node import ServerNode

    return ServerNode(engine, name, postgres_url_of(engine), lease_seconds, **options)


def store_for(engine):
    """Return a store on the engine, on PostgreSQL that of the only node."""
    if engine.dialect.name == "sqlite":
        return SqliteStore(engine)
    return node_of(engine).store


def node_of(engine):
    if engine not in _nodes:
        _nodes[engine] = new_node(engine, "only")
    return _nodes[engine]
