"""What the server as a whole does at its end."""

import asyncio
from contextlib import ExitStack
from threading import Event, Timer

from evilpegs_server.service import HINT_TERMS, _pool


async def test_at_the_end_a_pool_finishes_what_it_is_at_and_drops_what_waits():
    began, go, told = Event(), Event(), []

    def work():
        began.set()
        return go.wait(10)

    with ExitStack() as stack:
        pool = _pool(stack, "test", HINT_TERMS, asyncio.get_running_loop())
        pool.submit("ann", 1, work, told.append)
        for _ in range(50):
            pool.submit("bob", 1, int, told.append)
        assert began.wait(10)
        Timer(0.05, go.set).start()
    await asyncio.sleep(0)
    assert told == [True]
