"""Ctrl-C ends a loop that waits, even if the signal does not interrupt the wait itself."""

import asyncio
import signal
import threading
import time

import pytest

from evilpegs.signals import run_interruptibly

LATER_SECONDS = 0.5


@pytest.fixture(autouse=True)
def default_handler():
    """Handle SIGINT as a program does that nobody started in the background; asyncio leaves other handlers alone."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


async def wait_for_signal_elsewhere(later):
    """Wait until cancelled, while another thread receives SIGINT. The next event of the loop is noted in ``later``."""
    asyncio.get_running_loop().call_later(LATER_SECONDS, later.append, True)

    def receive():
        time.sleep(0.1)  # until the loop waits
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    thread = threading.Thread(target=receive)
    thread.start()
    try:
        await asyncio.Event().wait()
    finally:
        thread.join()


def test_signal_wakes_waiting_loop():
    later = []
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(wait_for_signal_elsewhere(later))
    assert later == []


def test_plain_loop_misses_signal():
    """Control: `asyncio.run` notices the signal with the next event."""
    later = []
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(wait_for_signal_elsewhere(later))
    assert later == [True]


def test_result_and_wakeup_are_returned():
    async def answer():
        return 42

    before = signal.set_wakeup_fd(-1)
    assert run_interruptibly(answer()) == 42
    assert signal.set_wakeup_fd(before) == -1
