"""Worker processes are killed repeatedly while bots play; no reply is lost or changed."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from random import Random

import pytest

from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.strategies.consistent import FirstConsistent
from support.waiting import think, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks in /proc for the process")


@pytest.fixture(scope="module", autouse=True)
def local_worker():
    """Here servers have a worker process."""


def worker_pids():
    """Yield the process ids of the workers of servers in this process."""
    for children in Path("/proc/self/task").glob("*/children"):
        for pid in map(int, children.read_text().split()):
            if b"evilpegs_server.work.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                yield pid


async def kill_repeatedly(registry, times):
    """Kill workers at varying moments, each kill after new events are durable.

    A task that dies three times is given up. No task dies twice here, because a player's next events need its result.
    """
    killed, pauses, events = set(), Random(1), registry.counts.events
    while len(killed) < times:
        seen = events.total()
        await until(lambda: events.total() != seen)  # noqa: B023 - awaited in the loop
        await think(pauses.uniform(0, 0.5))
        for pid in worker_pids():
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)


@pytest.mark.parametrize("ladder", ["huge-evil", "classic-devil"])
async def test_bot_plays_on_after_worker_deaths(server, tmp_path, ladder):
    await server.warm
    killing = asyncio.create_task(kill_repeatedly(server.registry, 4))
    matches = 0
    while not killing.done():
        summary = await play_matches(
            server=server.url,
            ladder=ladder,
            strategy=FirstConsistent(),
            name="patient",
            token_file=tmp_path / "tokens.json",
            retry_policy=RetryPolicy(Random(1)),
        )
        assert summary.verified
        assert {game.outcome for match in summary.matches for game in match.games} == {"solved"}
        matches += 1
    await killing
    assert matches
