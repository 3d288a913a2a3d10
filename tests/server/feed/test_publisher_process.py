"""The publisher process: it is replaced when it dies, ends with its server, and connects again without long waits."""

import asyncio
import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from evilpegs_protocol.backoff import Backoff
from evilpegs_protocol.broker import Broker
from evilpegs_server.feed.feed import PROGRAM
from evilpegs_server.feed.publisher import NICENESS
from evilpegs_server.feed.publisher_messages import (
    Connected,
    ConnectionEnd,
    ConnectionFailed,
    Delivered,
    Delivery,
    DeliveryRequest,
    LiveBatch,
    PublisherSetup,
)
from evilpegs_server.work.child_process import ChildProcess, Retries
from support.brokers import Subscriber
from support.patience import PATIENCE

CONNACK = bytes([0x20, 3, 0, 0, 0])
"""The packet of MQTT 5 by which a broker accepts a connection."""


class Reports(asyncio.Queue):
    """The reports of a publisher process, and the reasons why processes have ended."""

    async def expect(self, kind):
        """Return the next report of this kind, and skip others."""
        async with asyncio.timeout(PATIENCE):
            while not isinstance(report := await self.get(), kind):
                pass
        return report


@pytest.fixture
def reports():
    return Reports()


@pytest.fixture
async def new_publisher(reports):
    """Return a function that starts a publisher process for the broker on a port."""
    started = []

    def new(port, first=0.01):
        setup = PublisherSetup(Broker("127.0.0.1", port), "evilpegs-hall", "evilpegs/v1/hall/state", b"lost")
        retries = Retries(Backoff(first, longest=30.0), Random(1))
        process = ChildProcess(
            "publisher process", PROGRAM, setup, retries, reports.put_nowait, lambda why, _: reports.put_nowait(why)
        )
        started.append(process)
        process.start()
        return process

    yield new
    for process in started:
        await process.close()


@pytest.fixture
async def broken_broker():
    """Listen as a broker that answers each connection with some bytes after its login, and then closes it."""
    answers, servers = [b""], []

    async def answer(reader, writer):
        await reader.read(100)
        writer.write(answers[-1])
        await writer.drain()
        if answers[-1]:
            await reader.read(100)
        writer.close()

    servers.append(await asyncio.start_server(answer, "127.0.0.1", 0))
    yield servers[0].sockets[0].getsockname()[1], answers
    servers[0].close()


def ignored_signals(pid):
    """Return the signals that a process ignores, as the bits of a number."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("SigIgn")).split()[1], 16)


async def test_publisher_delivers_and_says_goodbye(mosquitto, new_publisher, reports):
    async with Subscriber(mosquitto.port) as subscriber:
        publisher = new_publisher(mosquitto.port)
        connection = (await reports.expect(Connected)).connection
        events = [(f"evilpegs/{number}", "event") for number in range(3)]
        publisher.send(LiveBatch(connection, 1, events))
        publisher.send(LiveBatch(connection + 1, 1, [("evilpegs/other", "dropped")]))
        deliveries = [Delivery("evilpegs/a", "x", properties=(("player", "ann"),)), Delivery("evilpegs/b", b"y", True)]
        publisher.send(DeliveryRequest(connection, 7, deliveries))
        report = await reports.expect(Delivered)
        assert (report.connection, report.number, report.accepted) == (connection, 7, [True, True])
        await subscriber.wait_for(lambda s: len(s.received) == 5)
        publisher.send(ConnectionEnd(connection, None))
        await publisher.close(PATIENCE)
    assert [topic for topic, _, _ in subscriber.received] == [*dict(events), "evilpegs/a", "evilpegs/b"]
    assert subscriber.received[3][2].properties.UserProperty == [("player", "ann")]
    assert publisher.pid is None


async def test_connection_is_given_up_for_a_reason(mosquitto, new_publisher, reports):
    """The broker then publishes the last will, which a goodbye prevents."""
    async with Subscriber(mosquitto.port) as subscriber:
        publisher = new_publisher(mosquitto.port)
        connection = (await reports.expect(Connected)).connection
        publisher.send(ConnectionEnd(connection, "no reason"))
        assert (await reports.expect(ConnectionFailed)).why == "no reason"
        await subscriber.wait_for(lambda s: s.payloads("state") == [b"lost"])
        assert (await reports.expect(Connected)).connection == connection + 1


@pytest.mark.parametrize("answer", [b"", CONNACK], ids=["before its answer", "before the first acknowledgment"])
async def test_dropped_connection_is_tried_again_at_once(new_publisher, reports, broken_broker, answer):
    """The client would wait half a minute for the answer, so that the test would not end in time."""
    port, answers = broken_broker
    answers.append(answer)
    publisher = new_publisher(port)
    for _ in range(4):
        if answer:
            connection = (await reports.expect(Connected)).connection
            publisher.send(DeliveryRequest(connection, 1, [Delivery("evilpegs/v1/hall/state", "online")]))
        assert (await reports.expect(ConnectionFailed)).why


@pytest.mark.skipif(sys.platform != "linux", reason="looks in /proc")
async def test_publisher_yields_and_ignores_stop_signals(mosquitto, new_publisher, reports):
    publisher = new_publisher(mosquitto.port)
    await reports.expect(Connected)
    assert os.getpriority(os.PRIO_PROCESS, publisher.pid) == os.getpriority(os.PRIO_PROCESS, 0) + NICENESS
    ignored = ignored_signals(publisher.pid)
    assert all(ignored >> (number - 1) & 1 for number in (signal.SIGTERM, signal.SIGINT))


async def test_dead_publisher_is_replaced(mosquitto, new_publisher, reports):
    async with Subscriber(mosquitto.port) as subscriber:
        publisher = new_publisher(mosquitto.port)
        for count in range(1, 4):
            assert (await reports.expect(Connected)).connection == 1
            os.kill(publisher.pid, signal.SIGKILL)
            assert "-9" in await reports.expect(str)
            await subscriber.wait_for(lambda s, count=count: s.payloads("state") == [b"lost"] * count)


async def test_unstartable_publisher_is_tried_again(mosquitto, new_publisher, reports, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", fail)
        publisher = new_publisher(mosquitto.port)
        for _ in range(3):
            assert os.strerror(errno.ENOMEM) in await reports.expect(str)
        assert publisher.pid is None
        publisher.send("dropped, because nobody is there")
    await reports.expect(Connected)


async def test_closed_publisher_leaves_no_process(mosquitto, new_publisher, reports):
    publisher = new_publisher(mosquitto.port)
    await reports.expect(Connected)
    pid = publisher.pid
    await publisher.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert reports.empty()


async def test_killed_publisher_costs_no_result(mosquitto, publishing, load, log):
    """The publisher of a busy server is killed again and again; the log has a line per outage, not per death."""
    killed = []
    async with Subscriber(mosquitto.port) as subscriber, publishing(mosquitto.url) as server:
        async with load(server) as played:
            for count in range(1, 4):
                await subscriber.wait_for(lambda s: len(s.matches) >= 10 * len(killed) + 10)
                [pid] = publisher_pids()
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                await subscriber.wait_for(
                    lambda s, count=count: states(s).count("lost") == count and states(s)[-1] == "online"
                )
        await subscriber.wait_for(lambda s: len(s.matches) == len(played))
    by_match = {result["match"]: result for result in played}
    received = [json.loads(payload) for payload in subscriber.payloads("result")]
    assert all(result == by_match[result["match"]] for result in received)
    assert len(set(killed)) == 3
    assert publisher_pids() == []
    assert [line["level"] for line in log.about_broker] == ["info", "warning"]


async def test_silent_publisher_is_replaced(mosquitto, publishing, players, monkeypatch):
    async with Subscriber(mosquitto.port) as subscriber, publishing(mosquitto.url) as server:
        with monkeypatch.context() as patch:
            patch.setattr("evilpegs_server.feed.broker_connection.SILENCE_SECONDS", 2.0)
            await subscriber.wait_for(lambda s: "online" in states(s))
            (ann,) = await players(server)
            [pid] = publisher_pids()
            os.kill(pid, signal.SIGSTOP)
            match = await ann.play()
            await subscriber.wait_for(lambda s: "lost" in states(s))
        await subscriber.wait_for(lambda s: match in s.matches)
    assert states(subscriber)[:3] == ["online", "lost", "online"]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def states(subscriber):
    return [json.loads(payload)["state"] for payload in subscriber.payloads("state")]


def publisher_pids():
    """Return the ids of the publisher processes of servers in this process."""
    pids = [pid for place in Path("/proc/self/task").glob("*/children") for pid in map(int, place.read_text().split())]
    return [pid for pid in pids if PROGRAM.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()]
