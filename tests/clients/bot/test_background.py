import asyncio
import gc
import sys
import threading

import pytest

from evilpegs_clients.bot.move_chooser import run_in_thread
from support.patience import PATIENCE
from support.waiting import loop_turns


async def test_think_leaves_loop_free():
    release = threading.Event()
    future = run_in_thread(release.wait)
    await loop_turns()
    assert not future.done()
    release.set()
    assert await future is True


async def test_think_raises_exception_of_work():
    with pytest.raises(ZeroDivisionError):
        await run_in_thread(lambda: 1 / 0)


@pytest.mark.parametrize(
    ("work", "text"), [(lambda: sys.exit(3), "SystemExit 3"), (lambda: next(iter([])), "StopIteration")]
)
async def test_think_wraps_exits_in_runtime_error(work, text):
    with pytest.raises(RuntimeError, match=f"^{text}$"):
        await run_in_thread(work)


async def test_think_without_waiter_reports_nothing():
    complaints = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
    future = run_in_thread(lambda: 1 / 0)
    await asyncio.wait([future])
    cancelled = run_in_thread(lambda: 1)
    cancelled.cancel()
    await asyncio.wait([run_in_thread(lambda: 1)])
    del future, cancelled
    gc.collect()
    assert complaints == []


def test_think_thread_may_outlast_loop():
    release, finished = threading.Event(), threading.Event()

    def work():
        release.wait()
        return 1

    async def leave():
        run_in_thread(work)
        [thread] = [thread for thread in threading.enumerate() if thread.name == "background"]
        return thread

    thread = asyncio.run(leave())
    assert thread.daemon
    release.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert not finished.is_set()
