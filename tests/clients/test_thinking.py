import asyncio
import gc
import sys
import threading

import pytest

from evilpegs_clients.thinking import think


async def test_work_is_done_beside_the_loop():
    release = threading.Event()
    thought = think(release.wait)
    await asyncio.sleep(0)
    assert not thought.done()
    release.set()
    assert await thought is True


async def test_an_exception_is_handed_over():
    with pytest.raises(ZeroDivisionError):
        await think(lambda: 1 / 0)


@pytest.mark.parametrize(
    ("work", "said"), [(lambda: sys.exit(3), "SystemExit 3"), (lambda: next(iter([])), "StopIteration")]
)
async def test_what_no_future_carries_is_made_presentable(work, said):
    with pytest.raises(RuntimeError, match=f"^{said}$"):
        await think(work)


async def test_a_thought_that_nobody_waits_for_disturbs_nobody():
    complaints = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
    thought = think(lambda: 1 / 0)
    await asyncio.wait([thought])
    cancelled = think(lambda: 1)
    cancelled.cancel()
    await asyncio.wait([think(lambda: 1)])
    del thought, cancelled
    gc.collect()
    assert complaints == []


def test_a_thought_may_outlast_the_loop():
    release, finished = threading.Event(), threading.Event()

    def work():
        release.wait()
        return 1

    async def leave():
        think(work)
        [thread] = [thread for thread in threading.enumerate() if thread.name == "thinking"]
        return thread

    thread = asyncio.run(leave())
    assert thread.daemon
    release.set()
    thread.join(10)
    assert not thread.is_alive()
    assert not finished.is_set()
