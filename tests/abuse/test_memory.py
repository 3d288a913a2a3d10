"""Closed connections and finished matches are freed at once, because full garbage collections are rare."""

import asyncio
import gc
import weakref

import pytest

from evilpegs_server.gateway.connection import GameConnection
from evilpegs_server.play.runner import MatchRunner
from support.servers import dial
from support.waiting import until

CYCLES = 5


@pytest.fixture
def living(monkeypatch):
    """The connections and runners that are in memory, while garbage with cycles is not collected."""
    objects = weakref.WeakSet()

    def note(cls):
        make = cls.__init__

        def note_and_make(self, *args, **kwargs):
            objects.add(self)
            make(self, *args, **kwargs)

        monkeypatch.setattr(cls, "__init__", note_and_make)

    note(GameConnection)
    note(MatchRunner)
    gc.collect()
    gc.disable()
    yield objects
    gc.enable()


async def play_and_leave(url):
    """Connect, play a match to its end, begin another one and resign it, and disconnect."""
    async with dial(url) as raw:
        await raw.hello()
        for _ in range(2):
            match = await raw.play("classic-evil")
            await raw.guess(match, 1, 1, "1122")
            await raw.ask("match_over", type="resign", match=match)


async def play_some(run_server):
    """Let some players come and leave, and wait until no connection is open and none of its tasks is left."""
    server = await run_server()
    before = asyncio.all_tasks()
    for _ in range(CYCLES):
        await play_and_leave(server.url)
    await until(lambda: not sum(server.registry.counts.connections.values()) and asyncio.all_tasks() <= before)


async def test_memory_of_guests_and_matches_is_freed(run_server, living):
    """The server may remember the latest ones."""
    await play_some(run_server)
    await until(lambda: len(living) < CYCLES)


async def test_cycles_would_keep_memory(run_server, living, monkeypatch):
    """Control: with the cycles nothing is freed."""
    monkeypatch.setattr(GameConnection, "_break_cycles", lambda self: None)
    await play_some(run_server)
    assert len(living) >= CYCLES
    gc.collect()
    await until(lambda: len(living) < CYCLES)
