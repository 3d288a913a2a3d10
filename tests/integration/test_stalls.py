"""The event loop goes on while large replies are computed. `make load` measures it at length."""

from contextlib import ExitStack

import pytest

from evilpegs_server.service import _tune_interpreter
from support.stalls import STALL_MS, TOGETHER, Replies, largest_ladder, late_beside, late_within, reply_pool

ROUNDS = 12
"""A stall of ours is there in each round; one that the machine makes is not. So one good round is enough."""


@pytest.fixture(autouse=True)
def tuned():
    with ExitStack() as stack:
        _tune_interpreter(stack)
        yield


async def test_two_replies_of_the_largest_size_do_not_stall_the_event_loop():
    replies, worst = Replies(largest_ladder()), []
    with reply_pool() as pool:
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
    replies.prepare()()
    for _ in range(3):
        assert max(await late_within([replies.prepare() for _ in range(TOGETHER)])) > 2 * STALL_MS


async def test_in_the_pool_work_that_keeps_the_interpreter_to_itself_would_too():
    """The other control: one call of C code that does not let go of the interpreter's lock."""
    with reply_pool() as pool:
        late = await late_beside(pool, largest_ladder(), [lambda: sum(range(20_000_000))])
    assert max(late) > 2 * STALL_MS
