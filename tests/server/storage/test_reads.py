"""The threads in which requests read."""

import asyncio
import threading

import pytest
import structlog

from evilpegs_server.storage.errors import DatabaseUnavailableError
from evilpegs_server.storage.reads import BusyError, Reads, keep_looking
from support.waiting import loop_turns


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
    await loop_turns()
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
    await loop_turns()
    with pytest.raises(BusyError):
        await reads.run(str)
    gate.set()
    assert await other == ""


async def test_read_after_the_end_is_refused(reads):
    reads.close()
    with pytest.raises(BusyError):
        await reads.run(str)


def looking(*errors):
    """Return a look that fails with each of ``errors`` in turn, unless it is None, and is then cancelled."""
    rest = iter(errors)

    async def look():
        try:
            error = next(rest)
        except StopIteration:
            raise asyncio.CancelledError from None
        if error is not None:
            raise error

    return look


@pytest.fixture
def log():
    with structlog.testing.capture_logs() as lines:
        yield lines


async def test_each_cause_of_failed_looks_is_logged_once(log):
    look = looking(OSError("lost\nSELECT"), OSError("lost"), OSError("full"), None, OSError("lost"))
    with pytest.raises(asyncio.CancelledError):
        await keep_looking(0, look, "for news", structlog.get_logger(), {})
    assert [line.get("why") for line in log] == ["lost", "full", None, "lost"]
    failed = {(line["event"], line["error"]) for line in log if "why" in line}
    assert failed == {("cannot look for news", "OSError")}


async def test_loops_log_one_outage_once(log):
    """It has other reasons for each of them, and is over when it is for all."""
    gone, lost = (DatabaseUnavailableError(f"{why}; start it") for why in ("no such file", "the connection is lost"))
    first, second = looking(lost, gone, None, None, None, gone), looking(None, lost, gone, gone, None, None)
    failing = {}
    loops = [keep_looking(0, look, "for news", structlog.get_logger(), failing) for look in (first, second)]
    await asyncio.gather(*loops, return_exceptions=True)
    assert [line["event"] for line in log] == ["cannot look for news", "can look again", "cannot look for news"]
