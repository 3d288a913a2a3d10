"""Ctrl-C ends every command; SIGTERM and SIGHUP do so in order too, so that the processes it started end with it."""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, Never, TypeVar

from evilpegs_clients.strategies.program_guard import noted_signals

ENDING_SIGNALS: Final = [each for each in signal.Signals if each.name in {"SIGTERM", "SIGHUP"}]  # not all everywhere
SIGNAL_STATUS: Final = 128


class TerminatedError(KeyboardInterrupt):
    """A signal ends the command: raised in the main thread, and handled wherever Ctrl-C is."""

    def __init__(self, signal_number: int) -> None:
        super().__init__()
        self.status = SIGNAL_STATUS + signal_number


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Raise TerminatedError at the first SIGTERM or SIGHUP in the block; the second ends the process at once."""
    # only the main thread can handle signals
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # an ignored signal stays ignored, such as SIGHUP under nohup
    handled = [number for number in ENDING_SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in handled:
        signal.signal(number, _terminate)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def _terminate(signal_number: int, _frame: FrameType | None) -> Never:
    signal.signal(signal_number, signal.SIG_DFL)
    raise TerminatedError(signal_number)


stop_noted: Final = noted_signals
_T = TypeVar("_T")


def run_interruptibly(main: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine as `asyncio.run` does, but always end it at Ctrl-C; call this on the main thread."""
    if os.name == "nt":  # where loops watch no sockets for others
        return asyncio.run(main)
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
