"""The stop of a server in a bounded time: each step has a deadline, and so have all steps together.

A step that waits for a disk, a broker or a client may wait for ever, and a service manager such as systemd would then
kill the server at a time of its own choice. The limits of `Timing` add up to less than its `stop_seconds`. A step that
is not finished in time is logged and left. No event is lost, because an event that is not stored was never sent.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable
from typing import Final

from structlog.stdlib import BoundLogger

STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


async def run_step(name: str, seconds: float, step: Callable[[], Awaitable[object]], log: BoundLogger) -> None:
    """Run a step of stopping; cancel it without waiting after ``seconds``, and only log its errors."""
    task = asyncio.ensure_future(step())
    done, _ = await asyncio.wait([task], timeout=seconds)
    if not done:
        task.cancel()
        log.warning("a shutdown step took too long and was abandoned", step=name, seconds=seconds)
    elif (error := task.exception()) is not None:
        log.error("a shutdown step failed", step=name, exc_info=error)


def force_exit_later(log: BoundLogger, seconds: float) -> None:
    """End this process with status 0 after ``seconds``, even if its threads wait for a disk that does not respond."""

    def force() -> None:
        log.error("the server did not stop in time; exiting now", seconds=seconds)
        os._exit(0)

    timer = threading.Timer(seconds, force)
    timer.daemon = True
    timer.start()
