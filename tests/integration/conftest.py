"""Fixtures: a real server on a real socket in this process, and a client that knows only JSON."""

import pytest
import structlog

from evilpegs_server.settings import Settings
from support.handshakes import endless_handshakes
from support.in_process import running_server
from support.leftovers import no_thread_left
from support.local_worker import no_worker_process
from support.patience import PATIENCE
from support.patient_server import PATIENT
from support.servers import dial


@pytest.fixture(scope="module", autouse=True)
def local_worker():
    """Servers in this process have no worker process, unless a test is about it and overrides this."""
    with no_worker_process():
        yield


@pytest.fixture
def tmp_path(on_disk):
    return on_disk


@pytest.fixture
def database(tmp_path, request, monkeypatch):
    """The URL of a new database, on PostgreSQL if a test asks for it."""
    if getattr(request, "param", None) != "postgresql":
        return f"sqlite:///{tmp_path}/test.sqlite3"
    monkeypatch.setenv("EVILPEGS_LEASE_SECONDS", "2")  # for which a server that follows a killed one waits
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return request.getfixturevalue("postgres_url")


@pytest.fixture
async def server(database):
    """Run a server in this process."""
    settings = Settings(port=0, site=False, database=database, hello_seconds=PATIENCE)
    async with running_server(settings, structlog.get_logger(), timing=PATIENT) as running:
        yield running


@pytest.fixture
async def raw(server):
    """Open a connection to the server and claim a name."""
    async with dial(server.url) as connection:
        await connection.hello()
        yield connection
