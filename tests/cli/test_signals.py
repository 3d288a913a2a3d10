"""Ctrl-C ends a loop that waits, even if the signal does not interrupt the wait itself."""

import asyncio
import signal
import sys
import threading

import pytest

from evilpegs.signals import run_interruptibly
from support.patience import PATIENCE
from support.waiting import wait_until


@pytest.fixture(autouse=True)
def default_handler():
    """Handle SIGINT as a program does that nobody started in the background; asyncio leaves other handlers alone."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def wait_for_select(thread):
    """Wait until this thread waits for events: it is seen to do so three times in a row."""
    looks = []

    def is_waiting():
        looks.append(sys._current_frames()[thread].f_code.co_name == "select")
        return looks[-3:] == [True] * 3

    wait_until(is_waiting)


async def wait_for_signal_elsewhere(later, is_woken):
    """Wait until cancelled, while another thread receives SIGINT. An event of the loop is noted in ``later``.

    The event comes at the end of all patience, or with ``is_woken`` once the loop still waits after the signal.
    """
    loop, loop_thread = asyncio.get_running_loop(), threading.get_ident()
    loop.call_later(PATIENCE, later.append, True)

    def receive():
        wait_for_select(loop_thread)
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        if is_woken:
            wait_for_select(loop_thread)
            loop.call_soon_threadsafe(later.append, True)

    thread = threading.Thread(target=receive)
    thread.start()
    try:
        await asyncio.Event().wait()
    finally:
        thread.join()


def test_signal_wakes_waiting_loop():
    later = []
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(wait_for_signal_elsewhere(later, is_woken=False))
    assert later == []


def test_plain_loop_misses_signal():
    """Control: `asyncio.run` notices the signal with the next event."""
    later = []
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(wait_for_signal_elsewhere(later, is_woken=True))
    assert later == [True]


def test_result_and_wakeup_are_returned():
    async def answer():
        return 42

    before = signal.set_wakeup_fd(-1)
    assert run_interruptibly(answer()) == 42
    assert signal.set_wakeup_fd(before) == -1
