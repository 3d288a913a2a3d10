"""A server that is told to stop ends in a bounded time with status 0, whatever it waits for."""

import asyncio
import inspect
import signal
from pathlib import Path

import pytest
import structlog

from evilpegs_server.server import serve_until_stopped
from evilpegs_server.stopping import run_step
from evilpegs_server.timing import Timing
from support.hostile_peer import HELLO, Peer, text
from support.patience import PATIENCE
from support.servers import child_server
from support.waiting import loop_turns

STUCK_SERVER = str(Path(__file__).parents[1] / "support" / "stuck_server.py")
PROMISED = 10
"""Seconds in which a server has ended; it is far from what an orderly stop takes."""


async def stops_in_time(child, seconds=PATIENCE):
    """Send SIGTERM; return the status and the errors, or None if the server does not end in time."""
    child.process.send_signal(signal.SIGTERM)
    try:
        _, errors = await asyncio.wait_for(child.process.communicate(), seconds)
    except TimeoutError:
        return None
    return child.process.returncode, errors.decode()


def unread_record(url):
    """Open a connection that asks for much and reads nothing of it."""
    client = Peer(url, small=True)
    client.send(HELLO + text(type="ping", c=1) * 100)
    return client


async def test_clients_who_do_not_read_cannot_delay_stop(database):
    async with child_server(database, STUCK_SERVER) as child:
        clients = [await asyncio.to_thread(unread_record, child.url) for _ in range(20)]
        status, errors = await stops_in_time(child)
        assert (status, "Traceback" in errors) == (0, False), errors
        for client in clients:
            client.close()


async def test_stuck_worker_cannot_delay_stop(database, monkeypatch):
    monkeypatch.setenv("STUCK", "worker,outlets")
    async with child_server(database, STUCK_SERVER) as child:
        status, errors = await stops_in_time(child)
        assert status == 0
        assert '"step": "worker"' in errors


@pytest.mark.abuse
async def test_stuck_disk_cannot_delay_stop(database, monkeypatch):
    monkeypatch.setenv("STUCK", "writer")
    async with child_server(database, STUCK_SERVER) as child:
        status, errors = await stops_in_time(child)
        assert status == 0
        assert "did not stop in time" in errors


@pytest.mark.abuse
async def test_stop_without_deadlines_never_ends(database, monkeypatch):
    """Control: the same faults without the deadlines."""
    monkeypatch.setenv("STUCK", "worker,no deadline")
    async with child_server(database, STUCK_SERVER) as child:
        assert await stops_in_time(child, PROMISED) is None


def test_deadline_keeps_promise():
    """The tests above wait for the end, however long that takes on a busy machine."""
    timing = Timing()
    steps = timing.drain_seconds + timing.close_seconds + timing.outlet_seconds + timing.worker_seconds
    assert steps < timing.stop_seconds < PROMISED
    assert timing.show_stop_seconds < timing.outlet_seconds
    assert inspect.signature(serve_until_stopped).parameters["timing"].default == timing


class TestStep:
    async def test_step_that_ends_is_silent(self):
        with structlog.testing.capture_logs() as logged:
            await run_step("quick", PATIENCE, loop_turns, structlog.get_logger())
        assert logged == []

    async def test_step_that_hangs_is_left(self):
        hangs = asyncio.Event()
        with structlog.testing.capture_logs() as logged:
            await run_step("slow", 0.01, hangs.wait, structlog.get_logger())
        assert [entry["step"] for entry in logged] == ["slow"]

    async def test_step_that_fails_is_logged(self):
        async def fail():
            raise OSError

        with structlog.testing.capture_logs() as logged:
            await run_step("broken", PATIENCE, fail, structlog.get_logger())
        assert [(entry["step"], entry["log_level"]) for entry in logged] == [("broken", "error")]
