"""Reads have a price and a cache, and nobody works for clients who are gone."""

import asyncio
import threading

import pytest

from evilpegs_server.gateway.connection import GameConnection
from evilpegs_server.limits import READ_PRICE
from evilpegs_server.play import recovery
from support.hostile_peer import HELLO, Peer, text
from support.patience import PATIENCE
from support.servers import dial
from support.waiting import until

UNLIMITED = 1_000_000


def match_id(number):
    return f"{number:016x}"


@pytest.fixture
def loads(monkeypatch):
    """The ids of all matches that were looked up in the database."""
    seen, load = [], recovery.load_match

    def look_up(engine, match):
        seen.append(match)
        return load(engine, match)

    monkeypatch.setattr(recovery, "load_match", look_up)
    return seen


async def resume_all(url, numbers):
    """Resume matches that do not exist; return the codes of the errors."""
    async with dial(url) as raw:
        await raw.hello(False)
        for number in numbers:
            await raw.say(type="resume", match=match_id(number), seq=0)
        return [(await raw.hear("error"))["code"] for _ in numbers]


@pytest.mark.parametrize(("settings", "refused"), [({}, True), ({"requests_per_second": UNLIMITED}, False)])
async def test_reads_of_storage_are_expensive(run_server, settings, refused):
    """Without the limit, the control, as many reads are done as are requested."""
    server = await run_server(**settings)
    codes = await resume_all(server.url, range(60))
    assert ("rate_limited" in codes) is refused
    assert codes.count("not_your_match") >= 200 // READ_PRICE - 1


async def test_finished_match_is_read_once(run_server, loads):
    server = await run_server()
    async with dial(server.url) as raw:
        await raw.hello()
        match = await raw.play("classic-evil")
        await raw.ask("match_over", type="resign", match=match)
        for _ in range(3):
            await raw.ask("resumed", type="resume", match=match, seq=0)
            assert (await raw.hear("match_over"))["match"] == match
            assert (await raw.ask("resumed", type="resume", match=match, seq=0))["state"] == "over"
    assert loads == [match]


def storm_and_vanish(url, numbers):
    """Request matches that do not exist, and cut the connection off when the first is being looked up."""
    client = Peer(url)
    client.send(HELLO)
    client.hear("welcome")
    client.send(b"".join(text(type="resume", match=match_id(number), seq=0) for number in numbers))
    return client


async def looked_up_for_vanished(server, monkeypatch):
    """Return the ids that are looked up for a client who vanishes while the first of ten is."""
    seen, gate, lost = [], threading.Event(), threading.Event()
    lose = GameConnection.connection_lost

    def look_up(_engine, match):
        seen.append(match)
        gate.wait(PATIENCE)

    def note_loss(connection, error):
        lose(connection, error)
        lost.set()

    monkeypatch.setattr(recovery, "load_match", look_up)
    monkeypatch.setattr(GameConnection, "connection_lost", note_loss)
    counts = server.registry.counts.connections
    client = await asyncio.to_thread(storm_and_vanish, server.url, range(10))
    await until(lambda: seen)
    client.close()
    await until(lost.is_set)
    gate.set()
    await until(lambda: not sum(counts.values()))
    return seen


async def test_queue_of_vanished_client_is_dropped(run_server, monkeypatch):
    assert len(await looked_up_for_vanished(await run_server(), monkeypatch)) == 1


async def test_unchecked_queue_is_worked_off(run_server, monkeypatch):
    """Control: a loop that does not look whether its client is there does all ten reads."""
    monkeypatch.setattr(GameConnection, "is_ending", False)
    assert len(await looked_up_for_vanished(await run_server(), monkeypatch)) == 10
