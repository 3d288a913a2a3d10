"""A server in a thread with an event loop of its own, for tests that are not async.

Hypothesis fails a test if the state of the global random generator changes while it draws. websockets draws the payload
of every ping from that generator, and the server pings its clients every 20 seconds in its thread. So websockets draws
from another generator as long as the server runs.
"""

import asyncio
import contextlib
import random
import threading
from unittest import mock

import structlog
from websockets.asyncio import connection

from evilpegs_server.settings import Settings
from support.in_process import running_server
from support.leftovers import SHARED_SERVER
from support.patience import PATIENCE


async def nothing(_running, _stack):
    """Do nothing before the block of `server_in_thread` begins."""


@contextlib.contextmanager
def server_in_thread(database, prepare=nothing, **settings):
    """Run a server in a thread during the block, and yield its `RunningServer`.

    Before the block, ``prepare(running, stack)`` is awaited on the server's event loop. Context managers that it enters
    into the ``AsyncExitStack`` stay open until the end of the block. An error of the server is raised here.
    """
    loop, stopped, ready = asyncio.new_event_loop(), asyncio.Event(), threading.Event()
    started, failures = [], []

    async def serve():
        options = {"port": 0, "site_port": 0, "database": database} | settings
        async with (
            running_server(Settings(**options), structlog.get_logger()) as running,
            contextlib.AsyncExitStack() as stack,
        ):
            await prepare(running, stack)
            started.append(running)
            ready.set()
            await stopped.wait()

    def run():
        try:
            loop.run_until_complete(serve())
        except Exception as error:  # noqa: BLE001 - raised again in the thread of the test
            failures.append(error)
        finally:
            loop.close()
            ready.set()

    thread = threading.Thread(target=run, name=SHARED_SERVER)
    with own_random_of_pings():
        thread.start()
        try:
            assert ready.wait(PATIENCE)
            if failures:
                raise failures[0]
            yield started[0]
        finally:
            if thread.is_alive():
                loop.call_soon_threadsafe(stopped.set)
            thread.join(PATIENCE)
    if failures:
        raise failures[0]


def own_random_of_pings():
    """Return a context manager during which the payloads of pings do not come from the global random generator."""
    return mock.patch.object(connection, "random", random.Random())
