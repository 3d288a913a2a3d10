"""The event loop goes on while large replies are computed. `make load` measures it at length."""

import time
from pathlib import Path

import pytest

from evilpegs_server.fair_pool import FairPool
from evilpegs_server.interpreter import tuned
from evilpegs_server.service import REPLY_TERMS
from support.reckoners import Call, reckoner
from support.stalls import STALL_MS, TOGETHER, Replies, Threads, largest_ladder, late_beside, late_within, reply_pool

ROUNDS = 12
"""A stall of ours is there in each round; one that the machine makes is not. So one good round is enough."""


@pytest.fixture(autouse=True)
def as_in_a_server(monkeypatch):
    """The interpreter is that of a server, and its process knows the tasks of tests too."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    with tuned():
        yield


async def test_two_replies_of_the_largest_size_do_not_stall_the_event_loop():
    replies, worst = Replies(largest_ladder()), []
    async with reply_pool() as pool:
        while not worst or min(worst) > STALL_MS:
            assert len(worst) < ROUNDS, worst
            late = await late_beside(pool, replies.ladder, [replies.prepare() for _ in range(TOGETHER)])
            assert len(late) > 5
            worst.append(max(late))
        assert pool.metrics().heavy == 0
        assert pool.metrics().done == TOGETHER * len(worst)


async def test_on_the_event_loop_they_would():
    """The control: what is measured is there to be seen."""
    replies = Replies(largest_ladder())
    replies.prepare().do(reckoner())
    for _ in range(3):
        assert max(await late_within([replies.prepare() for _ in range(TOGETHER)])) > 2 * STALL_MS


HOLD = Call(sum, range(20_000_000))
"""One call of C code that does not let go of the interpreter's lock."""


async def test_in_a_thread_work_that_keeps_the_interpreter_to_itself_would_too():
    """The other control."""
    pool = FairPool(REPLY_TERMS, Threads(), time.monotonic)
    assert max(await late_beside(pool, largest_ladder(), [HOLD])) > 2 * STALL_MS


async def test_in_a_process_of_its_own_it_does_not():
    worst = []
    async with reply_pool() as pool:
        while not worst or min(worst) > STALL_MS:
            assert len(worst) < ROUNDS, worst
            worst.append(max(await late_beside(pool, largest_ladder(), [HOLD])))
