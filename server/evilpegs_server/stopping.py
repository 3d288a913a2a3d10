"""The stop of a server in a bounded time: each step has a deadline, and so have all steps together.

A step that waits for a disk, a broker or a client may wait for ever. A service manager such as systemd then ends the
server by force after a time of its own choice. Each step therefore has a limit, and the limits add up to less than
`STOP_SECONDS`. A step that is not finished in time is logged and left. No event is lost in this way, because an event
that is not stored was never sent.
"""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from typing import Final

from structlog.stdlib import BoundLogger

DRAIN_SECONDS: Final = 3.0
"""The seconds that matches have to finish their replies and commits when the server stops."""
CLOSE_SECONDS: Final = 2.0
"""The seconds that clients have to read their last messages and to close their connections."""
OUTLET_SECONDS: Final = 2.5
"""The seconds that the leaderboards, the site and the feed have together to close.

They close one after another, so the limits of the site and of the feed add up to less than this.
"""
WORKER_SECONDS: Final = 1.0
"""The seconds that the worker process has to export the positions that it has solved."""
STOP_SECONDS: Final = 9.0
"""The seconds after which the process ends even if some steps of stopping are not finished."""


async def run_step(name: str, seconds: float, step: Callable[[], Awaitable[object]], log: BoundLogger) -> None:
    """Run ``step``, a step of stopping, for at most ``seconds``; then cancel it and return without waiting for it.

    A timeout or an error is logged with ``name`` and not raised.
    """
    task = asyncio.ensure_future(step())
    done, _ = await asyncio.wait([task], timeout=seconds)
    if not done:
        task.cancel()
        log.warning("a step of stopping took too long and was left", step=name, seconds=seconds)
    elif (error := task.exception()) is not None:
        log.error("a step of stopping failed", step=name, exc_info=error)


def force_exit_later(log: BoundLogger, seconds: float = STOP_SECONDS) -> None:
    """End this process with status 0 after ``seconds``, even if its threads wait for a disk that does not respond.

    A timer does this; the function itself returns at once.
    """

    def force() -> None:
        log.error("the server did not stop in time and ends now", seconds=seconds)
        os._exit(0)

    timer = threading.Timer(seconds, force)
    timer.daemon = True
    timer.start()
