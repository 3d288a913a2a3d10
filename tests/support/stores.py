"""The store of a writer on whichever engine a test uses."""

import weakref

from evilpegs_server.storage.engines.sqlite import SqliteDatabase, SqliteStore

LEASE_SECONDS = 2.0
_nodes = weakref.WeakKeyDictionary()


def new_node(engine, name, lease_seconds=LEASE_SECONDS, **options):
    from evilpegs_server.storage.engines.postgres_node import ServerNode

    return ServerNode(engine, name, lease_seconds, **options)


def store_for(engine):
    """Return a store on the engine, on PostgreSQL that of the only node."""
    if isinstance(engine, SqliteDatabase):
        return SqliteStore(engine)
    return node_of(engine).store


def node_of(engine):
    if engine not in _nodes:
        _nodes[engine] = new_node(engine, "only")
    return _nodes[engine]
