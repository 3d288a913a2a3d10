"""The publisher in this process, on a real broker: it obeys the server, whatever order its messages have."""

import asyncio
from random import Random

import pytest

from evilpegs_protocol.backoff import Backoff
from evilpegs_protocol.broker import Broker
from evilpegs_server.feed.publisher import REPORT_SECONDS, Publisher
from evilpegs_server.feed.publisher_messages import (
    BatchWritten,
    Connected,
    ConnectionEnd,
    ConnectionFailed,
    Delivered,
    Delivery,
    DeliveryRequest,
    LiveBatch,
    PublisherSetup,
)
from evilpegs_server.work.child_process import Retries
from support.brokers import Proxy
from support.patience import PATIENCE

LONG = "x" * 100_000
UNWRITTEN = [("evilpegs/a", LONG)] * 200
"""More events than the buffers between the publisher and a broker that reads nothing can hold."""


@pytest.fixture
async def proxy(mosquitto):
    """A proxy between the publisher and the broker."""
    async with Proxy(mosquitto.port) as proxy:
        yield proxy


@pytest.fixture
async def publisher(proxy):
    """A publisher that is running, with ``receive``, which returns its next report to the server."""
    reports, loop = asyncio.Queue(), asyncio.get_running_loop()
    broker = Broker("127.0.0.1", proxy.port)
    setup = PublisherSetup(broker, "evilpegs-hall", "evilpegs/v1/hall/state", b"lost")
    retries = Retries(Backoff(first=0.01, longest=30.0), Random(1))
    timers = set()

    def call_later(seconds, call):
        def expire():
            timers.remove(timer)
            call()

        timers.add(timer := loop.call_later(seconds, expire))

    publisher = Publisher(setup, reports.put_nowait, call_later, retries)

    async def receive():
        async with asyncio.timeout(PATIENCE):
            return await reports.get()

    publisher.receive, publisher.timers = receive, timers
    publisher.running = asyncio.create_task(publisher.run())
    yield publisher
    publisher.running.cancel()
    await asyncio.wait([publisher.running])


async def test_publisher_connects_again_when_server_gives_up_connection(publisher):
    """Messages for the connection that ended are dropped; the control is sent on the next one."""
    assert await publisher.receive() == Connected(1)
    publisher.handle(ConnectionEnd(1, "the database cannot be read"))
    publisher.handle(LiveBatch(1, 7, [("evilpegs/a", "dropped")]))
    assert await publisher.receive() == ConnectionFailed("the database cannot be read")
    assert await publisher.receive() == Connected(2)
    publisher.handle(LiveBatch(1, 8, [("evilpegs/a", "dropped")]))
    publisher.handle(LiveBatch(2, 9, [("evilpegs/a", "written")]))
    assert await publisher.receive() == BatchWritten(2, 9)
    publisher.handle(DeliveryRequest(2, 1, [Delivery("evilpegs/a", "delivered")]))
    assert await publisher.receive() == Delivered(2, 1, [True])


async def test_batch_is_not_awaited_after_its_connection(publisher, proxy):
    """A batch that was not written before its connection ended never will be."""
    assert await publisher.receive() == Connected(1)
    proxy.stall()
    publisher.handle(LiveBatch(1, 1, UNWRITTEN))
    publisher.handle(ConnectionEnd(1, "the database cannot be read"))
    assert await publisher.receive() == ConnectionFailed("the database cannot be read")
    proxy.flow()
    assert await publisher.receive() == Connected(2)
    async with asyncio.timeout(PATIENCE):
        while publisher.timers:  # noqa: ASYNC110 - a check that goes on sets a new timer
            await asyncio.sleep(REPORT_SECONDS / 10)


async def test_publisher_ends_with_goodbye(publisher):
    assert await publisher.receive() == Connected(1)
    assert not publisher.running.done()
    publisher.handle(ConnectionEnd(1, None))
    async with asyncio.timeout(PATIENCE):
        await publisher.running
