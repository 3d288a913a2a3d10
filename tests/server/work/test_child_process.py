"""A child process that has gone takes no messages, whether its owner has noticed its end or not."""

import asyncio
import os
import signal
import subprocess
from random import Random

import pytest

from evilpegs_protocol.backoff import Backoff
from evilpegs_server.work.child_process import ChildProcess, Retries
from support.patience import PATIENCE
from support.waiting import loop_turns, until

pytestmark = pytest.mark.full


def worker_process(on_end, on_start):
    return ChildProcess(
        "worker process",
        "evilpegs_server.work.worker",
        None,
        Retries(Backoff(first=0.01, longest=0.01), Random(1)),
        lambda _message: None,
        on_end,
        on_start,
    )


async def test_process_that_is_cut_off_takes_no_message():
    started, ended = asyncio.Queue(), asyncio.Queue()
    process = worker_process(lambda why, _was_started: ended.put_nowait(why), lambda: started.put_nowait(process.pid))
    assert not process.send("before the start")
    process.start()
    try:
        async with asyncio.timeout(PATIENCE):
            os.kill(await started.get(), signal.SIGSTOP)  # or it could end by itself
            assert process.send("taken")
            process.abort()
            assert not process.send("lost")
            await ended.get()
            await started.get()
    finally:
        await process.close()


async def test_killed_process_is_waited_for_by_an_owner_that_closes_then(monkeypatch):
    """It takes a while to end, and its owner closes meanwhile."""
    looks, started, closed, poll = [], asyncio.Event(), asyncio.Event(), subprocess.Popen.poll

    def poll_late(popen):
        looks.append(popen)
        return poll(popen) if closed.is_set() else None

    process = worker_process(lambda _why, _was_started: None, started.set)
    process.start()
    async with asyncio.timeout(PATIENCE):
        await started.wait()
        with monkeypatch.context() as patch:
            patch.setattr(subprocess.Popen, "poll", poll_late)
            process.abort()
            await until(lambda: looks)
            closing = asyncio.create_task(process.close())
            await loop_turns()
            assert not closing.done()
            closed.set()
            await closing
    assert looks[0].returncode == -signal.SIGKILL
