"""Worker processes are killed repeatedly while bots play; no reply is lost or changed."""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from random import Random

import pytest
import structlog

from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.connection.retry import RetryPolicy
from evilpegs_clients.strategies.consistent import FirstConsistent
from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules
from evilpegs_server.codemaking.capacity import CACHE_BYTES, COUNT_BYTES
from evilpegs_server.work.tasks import CountParts, FindDevilReplies, FindWitness
from evilpegs_server.work.worker_messages import WorkerSetup
from evilpegs_server.work.worker_process import WorkerProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks in /proc for the process")

CLASSIC, HUGE = Rules(4, 6), Rules(8, 10)


def worker_pids():
    """Yield the process ids of the workers of servers in this process."""
    for children in Path("/proc/self/task").glob("*/children"):
        for pid in map(int, children.read_text().split()):
            if b"evilpegs_server.work.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                yield pid


async def seconds_to_results():
    """Return how long a new worker process takes until it has done a task of each kind."""
    guess = (0, 0, 1, 1, 2, 2, 3, 3)
    tasks = [
        CountParts(HUGE, (), guess),
        FindWitness(HUGE, ((guess, Feedback(2, 2)),)),
        FindDevilReplies(CLASSIC, 1296, (), guess[:4]),
    ]
    began = time.perf_counter()
    process = WorkerProcess(WorkerSetup(CACHE_BYTES, COUNT_BYTES, SolvedPositions().to_bytes()), structlog.get_logger())
    for task in tasks:
        await process.run(task)
    seconds = time.perf_counter() - began
    await process.close()
    return seconds


@pytest.fixture(scope="module")
def pause():
    """Return the seconds between two kills: on a busy machine a new process needs more time for a reply.

    The first measurement is dropped, because it may include the compilation of kernels.
    """
    asyncio.run(seconds_to_results())
    return max(1.5, 2 * asyncio.run(seconds_to_results()))


async def kill_repeatedly(killed, pause):
    while True:
        await asyncio.sleep(pause)
        for pid in worker_pids():
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)


@pytest.mark.parametrize("ladder", ["huge-evil", "classic-devil"])
async def test_bot_plays_on_after_worker_deaths(pause, server, tmp_path, ladder):
    killed = []
    killing = asyncio.create_task(kill_repeatedly(killed, pause))
    matches = 0
    while len(set(killed)) < 3:
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
    killing.cancel()
    assert matches
