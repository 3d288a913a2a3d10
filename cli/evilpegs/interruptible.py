import asyncio
import signal
import socket
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


def run_interruptibly(main: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine as `asyncio.run` does, but always end it at Ctrl-C; call this on the main thread."""
    # asyncio.run alone can miss Ctrl-C: if the signal arrives just before the loop waits, or on another thread, its
    # handler runs only after the next event, which may never come; so each signal also writes to a socket that wakes it
    reading, writing = socket.socketpair()
    with reading, writing, asyncio.Runner() as runner:
        reading.setblocking(False)
        writing.setblocking(False)
        loop = runner.get_loop()
        loop.add_reader(reading, reading.recv, 4096)
        previous = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        try:
            return runner.run(main)
        finally:
            signal.set_wakeup_fd(previous)
            loop.remove_reader(reading)
