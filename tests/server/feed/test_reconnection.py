"""Connecting again: growing delays with jitter, and one line per outage."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from random import Random

import aiomqtt
import pytest

from evilpegs_protocol.backoff import Backoff
from evilpegs_protocol.broker import Broker
from evilpegs_server.feed.broker_log import ConnectionLog
from evilpegs_server.feed.feed import keep_connected
from evilpegs_server.feed.mqtt_client import FeedClient
from evilpegs_server.timing import Timing
from evilpegs_server.work.child_process import STABLE_SECONDS, Retries
from support.patience import PATIENCE
from support.waiting import loop_turns


class FakeMqtt:
    """A client that connects unless it has an error."""

    goodbye_seconds = PATIENCE

    def __init__(self, error=None):
        self.error, self.closed = error, False

    async def __aenter__(self):
        if self.error is not None:
            raise self.error

    async def __aexit__(self, *_):
        pass

    async def close_socket(self):
        self.closed = True


class Clock:
    """A clock that moves with the sleeps, which it keeps."""

    def __init__(self):
        self.time, self.slept, self.later = 0.0, [], []

    def now(self):
        return self.time

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.advance(seconds)

    def advance(self, seconds):
        self.time += seconds
        for call in [call for call in self.later if call.due <= self.time]:
            call.cancel()
            call.action()

    def call_later(self, seconds, action):
        call = Call(self, self.time + seconds, action)
        self.later.append(call)
        return call


async def no_hint():
    return ""


class Call:
    """A call that is to be made at a time."""

    def __init__(self, clock, due, action):
        self.clock, self.due, self.action = clock, due, action

    def cancel(self):
        if self in self.clock.later:
            self.clock.later.remove(self)


async def connect(clients, use, log):
    clock, waiting = Clock(), iter(clients)
    retries = Retries(Backoff(first=1.0, longest=8.0), Random(1), clock.now, clock.sleep)
    report = ConnectionLog(log.logger, Broker("hall", 1).address, clock.call_later)
    await keep_connected(lambda: next(waiting), lambda client: use(client, clock), report, retries, no_hint)
    return clock


async def do_nothing(client, clock):
    pass


async def test_outage_is_logged_once(log):
    clients = [FakeMqtt(OSError("refused"))] * 5 + [FakeMqtt()]
    clock = await connect(clients, do_nothing, log)
    assert [line["level"] for line in log] == ["warning", "info"]
    assert (log[0]["why"], log[0]["broker"]) == ("refused", "hall:1")
    assert len(clock.slept) == 5
    assert clock.slept[0] <= 1 < clock.slept[2] <= 4 <= clock.slept[4] <= 8
    assert all(client.closed for client in clients)


async def test_connection_ends_silently_before_answer(log):
    """A broker reads the login and says nothing; an exception in a callback would be in the log of asyncio."""
    loop, asked, gone, problems = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event(), []
    loop.set_exception_handler(lambda _, context: problems.append(context))
    loop.set_default_executor(ThreadPoolExecutor(1))

    async def say_nothing(reader, writer):
        await reader.read(1)
        asked.set()
        await reader.read()
        writer.close()
        gone.set()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as silent:
        broker = Broker("127.0.0.1", silent.sockets[0].getsockname()[1])
        report = ConnectionLog(log.logger, broker.address, loop.call_later)
        will = aiomqtt.Will("will", b"lost")
        retries = Retries(Backoff(first=0.25, longest=30.0), Random(1))

        def new_client():
            return FeedClient(broker, "x", will, lambda _: None, Timing())

        connecting = asyncio.create_task(keep_connected(new_client, wait, report, retries, no_hint))
        async with asyncio.timeout(PATIENCE):
            await asked.wait()
            await loop.run_in_executor(None, int)  # the only thread, which connects, has returned
            await loop_turns()
            while not connecting.done():
                connecting.cancel()
                await asyncio.wait([connecting], timeout=0.1)
            await gone.wait()
    assert problems == []


async def test_cancellation_that_a_failure_replaces_ends_the_attempts(log):
    """`asyncio.wait_for` of Python 3.11 raises the error of what has failed in the turn of the cancellation."""

    class FailsWhenCancelled(FakeMqtt):
        async def __aenter__(self):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise aiomqtt.MqttError("refused") from None

    client = FailsWhenCancelled()
    connecting = asyncio.create_task(connect([client], do_nothing, log))
    await loop_turns()
    connecting.cancel()
    assert (await connecting).slept == []
    assert client.closed
    assert not log


async def wait(_client):
    await asyncio.Event().wait()


@pytest.mark.parametrize(("seconds", "is_reset"), [(STABLE_SECONDS, True), (STABLE_SECONDS / 2, False)])
async def test_stable_connection_resets_delays(log, seconds, is_reset):
    async def lose(client, clock):
        if client.error is None and len(clock.slept) < 5:
            clock.advance(seconds)
            raise ExceptionGroup("lost", [OSError("cut")])

    refused = [FakeMqtt(OSError("refused"))] * 4
    clock = await connect([*refused, FakeMqtt(), FakeMqtt()], lose, log)
    assert (clock.slept[-1] <= 1) is is_reset
    assert [line.get("why") for line in log] == ["refused", None, "cut"] + [None] * is_reset


async def test_unstable_connection_is_logged_until_stable(log):
    """Two servers with one id cut each other off: every connection is accepted, and lost at once."""

    stable = FakeMqtt()
    clients = [FakeMqtt() for _ in range(20)]

    async def use(client, clock):
        if client is not stable:
            clock.advance(STABLE_SECONDS / 100)
            raise OSError("taken over")
        clock.advance(STABLE_SECONDS)

    await connect([*clients, stable], use, log)
    assert [line["level"] for line in log] == ["info", "warning", "info"]
