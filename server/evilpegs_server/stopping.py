"""The end of a server in a bounded time: a deadline for every step, and one for all of them together.

A step that waits for a disk, a broker or a client may wait for ever. A service manager such as systemd then ends the
server by force after a time of its own choice. So each step has a limit, the limits add up to less than `STOP_SECONDS`,
and what is not done in time is logged and left. Nothing is lost by that: an event that is not stored was never sent.
"""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from typing import Final

from structlog.stdlib import BoundLogger

DRAIN_SECONDS: Final = 3.0
"""Seconds that matches have to finish their replies and commits when the server stops."""
CLOSE_SECONDS: Final = 2.0
"""Seconds that clients have to take their last messages and to close their connections."""
OUTLET_SECONDS: Final = 2.0
"""Seconds that the site and the feed have together."""
WORKER_SECONDS: Final = 1.0
"""Seconds that the worker process has to hand over what it has solved."""
STOP_SECONDS: Final = 9.0
"""Seconds after which the process ends whatever it is still waiting for."""


async def run_step(name: str, seconds: float, step: Callable[[], Awaitable[object]], log: BoundLogger) -> None:
    """Run one step of stopping for at most ``seconds``, then cancel it and go on without waiting for it."""
    task = asyncio.ensure_future(step())
    done, _ = await asyncio.wait([task], timeout=seconds)
    if not done:
        task.cancel()
        log.warning("a step of stopping took too long and was left", step=name, seconds=seconds)
    elif (error := task.exception()) is not None:
        log.error("a step of stopping failed", step=name, exc_info=error)


def force_exit_later(log: BoundLogger, seconds: float = STOP_SECONDS) -> None:
    """End this process with status 0 after ``seconds``, even if its threads wait for a disk that does not respond."""

    def force() -> None:
        log.error("the server did not stop in time and ends now", seconds=seconds)
        os._exit(0)

    timer = threading.Timer(seconds, force)
    timer.daemon = True
    timer.start()
