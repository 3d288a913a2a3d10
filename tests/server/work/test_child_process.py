"""A child process that has gone takes no messages, whether its owner has noticed its end or not."""

import asyncio
import os
import signal
from random import Random

import pytest

from evilpegs_protocol.backoff import Backoff
from evilpegs_server.work.child_process import ChildProcess, Retries
from support.patience import PATIENCE

pytestmark = pytest.mark.full


async def test_process_that_is_cut_off_takes_no_message():
    started, ended = asyncio.Queue(), asyncio.Queue()
    process = ChildProcess(
        "worker process",
        "evilpegs_server.work.worker",
        None,
        Retries(Backoff(first=0.01, longest=0.01), Random(1)),
        lambda _message: None,
        lambda why, _was_started: ended.put_nowait(why),
        lambda: started.put_nowait(process.pid),
    )
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
