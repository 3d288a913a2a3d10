"""Connecting again: growing delays with jitter, and one line per outage."""

from random import Random

import pytest

from evilpegs_protocol.broker import Broker
from evilpegs_server.feed.connection import (
    STABLE_SECONDS,
    LoggedConnection,
    ReconnectDelays,
    ReconnectTime,
    keep_connected,
)


class FakeMqtt:
    """A client that connects unless it has an error."""

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
        self.time, self.slept = 0.0, []

    def now(self):
        return self.time

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.time += seconds


async def connect(clients, use, log):
    clock, waiting = Clock(), iter(clients)
    time = ReconnectTime(Random(1), clock.now, clock.sleep, ReconnectDelays(first=1.0, longest=8.0))
    report = LoggedConnection(log.logger, Broker("hall", 1).address)
    await keep_connected(lambda: next(waiting), lambda client: use(client, clock), report, time)
    return clock


async def do_nothing(client, clock):
    pass


def test_delays_grow_within_bounds():
    delays, rng = ReconnectDelays(first=1.0, longest=8.0), Random(1)
    for failures, bound in enumerate([1, 2, 4, 8, 8]):
        assert bound / 2 <= delays.draw(failures, rng) <= bound
    assert delays.draw(10**6, rng) <= 8
    assert len({delays.draw(0, rng) for _ in range(10)}) == 10


async def test_outage_is_logged_once(log):
    clients = [FakeMqtt(OSError("refused"))] * 5 + [FakeMqtt()]
    clock = await connect(clients, do_nothing, log)
    assert [line["level"] for line in log] == ["warning", "info"]
    assert (log[0]["why"], log[0]["broker"]) == ("refused", "hall:1")
    assert len(clock.slept) == 5
    assert clock.slept[0] <= 1 < clock.slept[2] <= 4 <= clock.slept[4] <= 8
    assert all(client.closed for client in clients)


@pytest.mark.parametrize(("seconds", "is_reset"), [(STABLE_SECONDS, True), (STABLE_SECONDS / 2, False)])
async def test_stable_connection_resets_delays(log, seconds, is_reset):
    async def lose(client, clock):
        if client.error is None and len(clock.slept) < 5:
            clock.time += seconds
            raise ExceptionGroup("lost", [OSError("cut")])

    refused = [FakeMqtt(OSError("refused"))] * 4
    clock = await connect([*refused, FakeMqtt(), FakeMqtt()], lose, log)
    assert (clock.slept[-1] <= 1) is is_reset
    assert [line.get("why") for line in log] == ["refused", None, "cut", None]
