"""Readiness while the server drains, while commits fail, and after the disk has recovered."""

import asyncio
from types import SimpleNamespace

import pytest

from evilpegs_server.site.readiness import PROBE, Readiness
from evilpegs_server.storage.archive import load_cursor
from evilpegs_server.storage.writer import STUCK_SECONDS, Writer
from support.patience import PATIENCE


@pytest.fixture
def readiness(fake_server):
    return Readiness(fake_server.registry, fake_server.writer)


async def until(condition):
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - nothing announces it
            await asyncio.sleep(0.001)


async def test_server_is_ready_and_writes_nothing(readiness, fake_server):
    assert readiness.obstacle() is None
    assert load_cursor(fake_server.engine, PROBE) is None


async def test_draining_server_is_not_ready(readiness, fake_server):
    await fake_server.registry.drain()
    assert "stop" in readiness.obstacle()


async def test_failed_commit_ends_readiness_until_disk_recovers(readiness, fake_server, ann, broken_disk):
    broken_disk.on = True
    await ann.send(type="play", ladder="tiny")
    await until(lambda: readiness.obstacle() is not None)
    fake_server.take_log()
    await asyncio.sleep(0.01)
    assert "commit failed" in readiness.obstacle()
    broken_disk.on = False
    await until(lambda: readiness.obstacle() is None)
    assert load_cursor(fake_server.engine, PROBE) == 0
    await ann.receive("error")


def test_stuck_commit_ends_readiness(engine):
    seconds = [0.0]
    writer = Writer(engine, lambda report: report(), now=lambda: seconds[0])
    readiness = Readiness(SimpleNamespace(draining=False), writer)
    writer.submit([], lambda error: None)
    assert readiness.obstacle() is None
    seconds[0] = STUCK_SECONDS + 1
    assert "too long" in readiness.obstacle()
    writer.start()
    writer.close()
    assert readiness.obstacle() is None


def test_missing_file_ends_readiness_until_it_is_back(engine):
    writer = Writer(engine, lambda report: report())
    readiness = Readiness(SimpleNamespace(draining=False), writer)
    writer.health.note_obstacle("the file was moved to /home/ann")
    assert "moved, deleted or replaced" in readiness.obstacle()
    assert "/home" not in readiness.obstacle()
    writer.health.note_obstacle(None)
    assert readiness.obstacle() is None
