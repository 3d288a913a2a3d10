"""SIGTERM and SIGHUP end a command as Ctrl-C does: in order, so that the processes it has started end with it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, Never

ENDING_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)
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
