"""SIGTERM and SIGHUP end a command as Ctrl-C does: in order, so that the processes it has started end with it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, Never

ENDING_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)
SIGNAL_STATUS: Final = 128
"""The exit status of a command that a signal has ended is `SIGNAL_STATUS` plus the number of the signal."""


class TerminatedError(KeyboardInterrupt):
    """The exception for a signal that ends the command, raised in the main thread and handled wherever Ctrl-C is.

    ``status`` is the exit status of the command.
    """

    def __init__(self, signal_number: int) -> None:
        super().__init__()
        self.status = SIGNAL_STATUS + signal_number


@contextmanager
def ended_in_order() -> Iterator[None]:
    """During the block, raise TerminatedError at the first SIGTERM or SIGHUP; the second ends the process at once.

    A signal that is ignored stays ignored, such as SIGHUP under `nohup`. Only the main thread can handle signals, so in
    any other thread nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
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
