"""Fixtures: real servers with the limits that a test chooses, attacked on loopback by clients on plain sockets."""

from contextlib import AsyncExitStack

import pytest
import structlog

from evilpegs_server.settings import Settings
from support.in_process import running_server
from support.leftovers import no_thread_left
from support.local_worker import no_worker_process
from support.patience import PATIENCE
from support.patient_server import PATIENT


@pytest.fixture(scope="module", autouse=True)
def local_worker():
    """Servers in this process have no worker process, unless a test is about it and overrides this."""
    with no_worker_process():
        yield


@pytest.fixture
def tmp_path(on_disk):
    return on_disk


@pytest.fixture
def database(tmp_path):
    return f"sqlite:///{tmp_path}/test.sqlite3"


@pytest.fixture
async def run_server(database):
    """Run a server in this process with other settings than the default."""
    async with AsyncExitStack() as stack:

        async def run(timing=PATIENT, **settings):
            options = {"port": 0, "site": False, "database": database, "hello_seconds": PATIENCE} | settings
            running = running_server(Settings(**options), structlog.get_logger(), timing=timing)
            return await stack.enter_async_context(running)

        yield run
