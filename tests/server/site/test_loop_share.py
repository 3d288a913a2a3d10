"""The share of the site: a budget of time, what is spent of it, and whose request is next."""

import asyncio

import pytest

from evilpegs_server.site import loop_share
from evilpegs_server.site.loop_share import (
    ADMITTED_PER_STEP,
    REQUEST_SECONDS,
    LoopShare,
    MeteredApp,
    MeteredReads,
    RequestQueue,
)
from evilpegs_server.storage.reads import Reads
from support.patience import PATIENCE


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def share(clock):
    return LoopShare(share=0.25, burst=0.5, clock=clock)


class TestBudget:
    def test_rested_site_may_begin(self, share):
        assert share.wait_seconds() == 0

    def test_debt_is_paid_at_rate_of_share(self, share, clock):
        share.spend(1.0)
        assert share.wait_seconds() == pytest.approx(2.0)
        clock.now += 1.0
        assert share.wait_seconds() == pytest.approx(1.0)
        clock.now += 1.0
        assert share.wait_seconds() == 0

    def test_rest_is_saved_up_to_burst(self, share, clock):
        clock.now += 1_000.0
        assert share.wait_seconds() == 0
        share.spend(0.5 + 0.25)
        assert share.wait_seconds() == pytest.approx(1.0)


class TestMeter:
    async def run_app(self, share, app):
        await MeteredApp(app, share)({}, None, None)

    async def test_steps_are_spent_and_waiting_is_not(self, clock, monkeypatch):
        monkeypatch.setattr(loop_share, "perf_counter", clock)
        share, spent, waits, gate = LoopShare(clock=clock), [], asyncio.Event(), asyncio.Event()
        share.spend = spent.append

        async def app(_scope, _receive, _send):
            clock.now += 1
            await asyncio.sleep(0)
            clock.now += 2
            waits.set()
            await gate.wait()
            clock.now += 4

        running = asyncio.create_task(self.run_app(share, app))
        await waits.wait()
        clock.now += 100
        gate.set()
        await running
        assert spent == [1, 2, 4]

    async def test_errors_reach_caller(self, share):
        async def app(_scope, _receive, _send):
            await asyncio.sleep(0)
            raise KeyError("gone")

        with pytest.raises(KeyError, match="gone"):
            await self.run_app(share, app)

    async def test_errors_of_what_is_awaited_reach_application(self, share):
        seen = []

        async def app(_scope, _receive, _send):
            failing = asyncio.get_running_loop().create_future()
            failing.set_exception(OSError("disk"))
            try:
                await failing
            except OSError as error:
                seen.append(error)

        await self.run_app(share, app)
        assert [str(error) for error in seen] == ["disk"]

    async def test_cancellation_reaches_application(self, share):
        begun, cancelled = asyncio.Event(), []

        async def app(_scope, _receive, _send):
            begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(True)
                raise

        task = asyncio.create_task(self.run_app(share, app))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert cancelled == [True]

    async def test_reads_are_spent(self, clock):
        share, spent = LoopShare(clock=clock), []
        share.spend = spent.append
        reads = Reads()
        try:
            assert await MeteredReads(reads, share).run(divmod, 7, 2) == (3, 1)
            assert len(spent) == 1
            with pytest.raises(ZeroDivisionError):
                await MeteredReads(reads, share).run(divmod, 7, 0)
            assert len(spent) == 2
        finally:
            reads.close()


class TestQueue:
    @pytest.fixture
    async def queue(self, share):
        return RequestQueue(share, asyncio.get_running_loop())

    async def steps(self, count):
        for _ in range(count):
            await asyncio.sleep(0)

    async def test_addresses_take_turns(self, queue):
        begun = []
        for number in range(5):
            queue.enter(("flood", number), "192.0.2.1", lambda number=number: begun.append(("flood", number)))
        queue.enter("visitor", "198.51.100.1", lambda: begun.append("visitor"))
        await self.steps(10)
        assert begun == [("flood", 0), "visitor", *(("flood", number) for number in range(1, 5))]

    async def test_few_requests_begin_in_one_step(self, queue):
        begun = []
        for number in range(ADMITTED_PER_STEP + 1):
            queue.enter(number, "192.0.2.1", lambda number=number: begun.append(number))
        await self.steps(1)
        assert begun == list(range(ADMITTED_PER_STEP))
        async with asyncio.timeout(PATIENCE):
            while len(begun) <= ADMITTED_PER_STEP:  # noqa: ASYNC110 - no event says that nothing waits
                await asyncio.sleep(0)

    async def test_request_waits_while_share_is_used_up(self, queue, share, clock):
        begun = asyncio.Event()
        share.spend(0.501)
        assert not queue.enter("late", "192.0.2.1", begun.set)
        await self.steps(10)
        assert not begun.is_set()
        clock.now += 1.0
        async with asyncio.timeout(PATIENCE):
            await begun.wait()

    async def test_beginning_costs(self, queue, share):
        begun = asyncio.Event()
        share.spend(0.5 - REQUEST_SECONDS / 2)
        assert queue.enter("first", "192.0.2.1", begun.set)
        await begun.wait()
        assert share.wait_seconds() == pytest.approx(REQUEST_SECONDS / 2 / 0.25)

    async def test_closed_connection_is_left_out(self, queue):
        begun = []
        queue.enter("closed", "192.0.2.1", lambda: begun.append("closed"))
        queue.enter("open", "192.0.2.1", lambda: begun.append("open"))
        queue.leave("closed", "192.0.2.1")
        queue.leave("unknown", "198.51.100.1")
        await self.steps(10)
        assert begun == ["open"]

    async def test_request_that_begins_may_queue_next(self, queue):
        begun = []

        def begin():
            begun.append(len(begun))
            if len(begun) < 3:
                queue.enter("same", "192.0.2.1", begin)

        queue.enter("same", "192.0.2.1", begin)
        await self.steps(20)
        assert begun == [0, 1, 2]
