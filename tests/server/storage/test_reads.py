"""The threads in which requests read."""

import asyncio
import threading

import pytest
import structlog

from evilpegs_server.storage.reads import BusyError, Reads, keep_looking


@pytest.fixture
def reads():
    reads = Reads(threads=1, max_pending=2)
    yield reads
    reads.close()


async def test_read_runs_in_other_thread(reads):
    assert await reads.run(threading.get_ident) != threading.get_ident()


async def test_read_passes_on_error(reads):
    with pytest.raises(ZeroDivisionError):
        await reads.run(divmod, 1, 0)


async def test_read_over_limit_is_refused(reads):
    gate = threading.Event()
    waiting = [asyncio.create_task(reads.run(gate.wait)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(BusyError):
        await reads.run(str)
    gate.set()
    await asyncio.gather(*waiting)
    assert await reads.run(str, 5) == "5"


async def test_abandoned_read_counts_until_its_end(reads):
    gate, begun = threading.Event(), threading.Event()

    def hold():
        begun.set()
        gate.wait()

    held = asyncio.create_task(reads.run(hold))
    await asyncio.to_thread(begun.wait)
    held.cancel()
    other = asyncio.create_task(reads.run(str))
    await asyncio.sleep(0)
    with pytest.raises(BusyError):
        await reads.run(str)
    gate.set()
    assert await other == ""


async def test_read_after_the_end_is_refused(reads):
    reads.close()
    with pytest.raises(BusyError):
        await reads.run(str)


async def test_each_cause_of_failed_looks_is_logged_once():
    errors = iter([OSError("lost\nSELECT"), OSError("lost"), OSError("full"), None, OSError("lost")])

    async def look():
        try:
            error = next(errors)
        except StopIteration:
            raise asyncio.CancelledError from None
        if error is not None:
            raise error

    with structlog.testing.capture_logs() as logged, pytest.raises(asyncio.CancelledError):
        await keep_looking(0, look, "for news", structlog.get_logger())
    assert [line["why"] for line in logged] == ["lost", "full", "lost"]
    assert {(line["event"], line["error"]) for line in logged} == {("cannot look for news", "OSError")}
