"""The event loop does not stall while large replies are computed. `make load` measures this at length."""

import time
from pathlib import Path

import pytest

from evilpegs_server.replies.capacity import REPLY_LIMITS
from evilpegs_server.work.interpreter import tune_gc_and_gil
from evilpegs_server.work.pool import TaskPool
from support.stalls import STALL_MS, TOGETHER, Replies, Threads, largest_ladder, reply_pool, used_beside, used_within
from support.workspaces import Call, new_workspace

ROUNDS = 12
"""A stall of the server appears in every round and one of the machine does not, so one good round is enough."""


@pytest.fixture(autouse=True)
def as_in_a_server(monkeypatch):
    """Tune the interpreter as a server does, and let its process import the tasks of tests."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    with tune_gc_and_gil():
        yield


async def test_largest_replies_do_not_stall_event_loop():
    replies, worst = Replies(largest_ladder()), []
    async with reply_pool() as pool:
        while not worst or min(worst) > STALL_MS:
            assert len(worst) < ROUNDS, worst
            used = await used_beside(pool, replies.ladder, [replies.prepare() for _ in range(TOGETHER)])
            assert len(used) > 5, "the event loop waits for the replies"
            worst.append(max(used))
        assert pool.metrics().heavy == 0
        assert pool.metrics().done == TOGETHER * len(worst)


async def test_replies_on_event_loop_stall_it():
    """Control: the measurement sees replies that are computed on the event loop."""
    replies = Replies(largest_ladder())
    replies.prepare().run(new_workspace())
    for _ in range(3):
        assert max(await used_within([replies.prepare() for _ in range(TOGETHER)])) > 2 * STALL_MS


HOLD = Call(sum, range(20_000_000))
"""One call of C code that does not release the interpreter's lock."""


async def test_c_call_in_thread_stalls_event_loop():
    """Control: the measurement sees a call that holds the interpreter's lock in a thread."""
    pool = TaskPool(REPLY_LIMITS, Threads(), time.monotonic)
    assert max(await used_beside(pool, largest_ladder(), [HOLD])) > 2 * STALL_MS


async def test_c_call_in_process_causes_no_stall():
    worst = []
    async with reply_pool() as pool:
        while not worst or min(worst) > STALL_MS:
            assert len(worst) < ROUNDS, worst
            worst.append(max(await used_beside(pool, largest_ladder(), [HOLD])))
