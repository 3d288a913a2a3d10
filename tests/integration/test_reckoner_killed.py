"""The reckoner process is killed repeatedly while bots play; no reply is lost or changed."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from random import Random

import pytest

from evilpegs_clients.bot import run_bot
from evilpegs_clients.session import Patience
from evilpegs_clients.strategies.first_consistent import FirstConsistent

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks in /proc for the process")


def reckoners():
    """Yield the process ids of the reckoners of servers in this process."""
    for children in Path("/proc/self/task").glob("*/children"):
        for pid in map(int, children.read_text().split()):
            if b"reckoner_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                yield pid


async def kill_repeatedly(killed):
    while True:
        await asyncio.sleep(1.5)
        for pid in reckoners():
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)


@pytest.mark.parametrize("ladder", ["huge-evil", "classic-devil"])
async def test_bot_plays_on_after_reckoner_deaths(server, tmp_path, ladder):
    killed = []
    killing = asyncio.create_task(kill_repeatedly(killed))
    matches = 0
    while len(set(killed)) < 3:
        summary = await run_bot(
            server=server.url,
            ladder=ladder,
            strategy=FirstConsistent(),
            name="patient",
            token_file=tmp_path / "tokens.json",
            patience=Patience(Random(1)),
        )
        assert summary.verified
        assert {game.outcome for match in summary.matches for game in match.games} == {"solved"}
        matches += 1
    killing.cancel()
    assert matches
