"""The cases of the Autobahn suite: the connections of the gateway get the same verdicts as those of the bare library.

Left out are the cases of speed (9), whose messages are longer than the gateway allows, and of compression (12, 13),
which the gateway does not offer.
"""

import asyncio
import contextlib
from collections import Counter
from functools import partial

import kosoku
import pytest_asyncio
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from evilpegs_server.gateway import connection
from evilpegs_server.gateway.connection import GameConnection
from evilpegs_server.gateway.gateway import MAX_FRAME_BYTES
from evilpegs_server.limits import RateLimit
from evilpegs_server.play.stall_free_clock import StallFreeClock
from support.entrances import default_entrance

LEFT_OUT = ["9.*", "12.*", "13.*"]
PASSED = {"OK", "NON-STRICT"}
"""Verdicts that count as one: whether the echo of a message before an invalid frame is still sent depends on time."""
SIDE_BY_SIDE = 8


async def echo(client):
    """Send every message back."""
    with contextlib.suppress(ConnectionClosed):
        async for message in client:
            await client.send(message)


def limited_connection(per_second, *args, **options):
    """Return a connection as the gateway makes them, with a limit of its rate."""
    entrance = default_entrance(StallFreeClock(asyncio.get_running_loop().time).now)
    rate = RateLimit(per_second, 2 * per_second, entrance.now())
    return GameConnection(*args, entrance=entrance, rate=rate, ended=Counter(), **options)


async def verdicts(create_connection=None):
    """Return the verdicts about an echo server, on the messages and on the end, by case."""
    options = {"compression": None, "max_size": MAX_FRAME_BYTES, "max_queue": 16, "close_timeout": 1}
    async with serve(echo, "127.0.0.1", 0, create_connection=create_connection, **options) as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        results = await asyncio.wait_for(_run(url), 300)
    return {each.case_id: (_verdict(each.behavior.value), each.behavior_close.value) for each in results}


def _verdict(behavior):
    return "passed" if behavior in PASSED else behavior


async def _run(url):
    try:
        return await kosoku.run_fuzzingclient(url, exclude_cases=LEFT_OUT, concurrency=SIDE_BY_SIDE)
    except kosoku.FailureError as error:
        return error.results


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bare():
    """The verdicts about the bare library."""
    return await verdicts()


async def test_verdicts_equal_those_of_library(bare):
    assert len(bare) > 200
    assert await verdicts(partial(limited_connection, 100)) == bare


async def test_small_budget_changes_verdicts(bare, monkeypatch):
    """Control: connections that answer few pings and fragments are noticed."""
    monkeypatch.setattr(connection, "FRAME_REFUSALS", 1_000)
    limited = await verdicts(partial(limited_connection, 0.1))
    assert limited != bare
