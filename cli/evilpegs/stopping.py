"""Ending in order when the process is told to stop."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def cancelled_by_signals() -> Iterator[None]:
    """Cancel the task that is running when SIGTERM or SIGHUP comes, as Ctrl-C does anyway.

    Raises:
        SystemExit: with the status that a process ended by that signal has, once everything is tidied up.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None  # noqa: S101 - there is one wherever a coroutine runs
    received: list[signal.Signals] = []

    def stop(number: signal.Signals) -> None:
        received.append(number)
        task.cancel()

    for number in SIGNALS:
        loop.add_signal_handler(number, stop, number)
    try:
        yield
    except asyncio.CancelledError:
        if received:
            raise SystemExit(128 + received[0]) from None
        raise
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
