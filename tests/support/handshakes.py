"""A server that would wait for ever for a client who connects and says nothing."""

import asyncio
from functools import partial

import pytest

from evilpegs_server.gateway import gateway
from evilpegs_server.gateway.connection import GameConnection
from evilpegs_server.timing import Timing
from support.patience import PATIENCE

ENDLESS = Timing(tls_seconds=10 * PATIENCE, close_seconds=10 * PATIENCE)


@pytest.fixture
def endless_handshakes(monkeypatch):
    """Lengthen the limits beside `ENDLESS` after which a server gives up a silent connection; no stop may wait for one.

    The value is an event that is set when a connection has been accepted.
    """
    accepted, make = asyncio.Event(), GameConnection.connection_made

    def note_connection(connection, transport):
        make(connection, transport)
        accepted.set()

    monkeypatch.setattr(GameConnection, "connection_made", note_connection)
    monkeypatch.setenv("EVILPEGS_HELLO_SECONDS", str(10 * PATIENCE))
    monkeypatch.setattr(gateway, "serve", partial(gateway.serve, open_timeout=None))
    return accepted
