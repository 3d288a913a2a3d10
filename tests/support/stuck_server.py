"""A server for tests of stopping, some parts of which never respond once it stops.

STUCK=writer,worker,outlets python stuck_server.py serve --port 0 ...

Each step of its stop has a tenth of its time, and all have longer than the steps together.
"""

import asyncio
import contextlib
import os
import threading
from functools import partial

import evilpegs_server.server
from evilpegs.main import main
from evilpegs_server import stopping
from evilpegs_server.show_process import ShowProcess
from evilpegs_server.storage.log.writer import Writer
from evilpegs_server.work.worker_process import WorkerProcess


async def wait_for_ever(*_):
    while True:
        with contextlib.suppress(asyncio.CancelledError):  # a library may swallow a cancellation
            await asyncio.Event().wait()


class StuckWriter(Writer):
    """A writer whose disk no longer responds once the server stops."""

    def close(self):
        threading.Event().wait()


class StuckWorker(WorkerProcess):
    """A worker process that never finishes closing."""

    async def close(self):
        await wait_for_ever()


if __name__ == "__main__":
    stuck = os.environ.get("STUCK", "").split(",")
    if "writer" in stuck:
        evilpegs_server.server.Writer = StuckWriter
    if "worker" in stuck:
        evilpegs_server.server.WorkerProcess = StuckWorker
    if "outlets" in stuck:
        ShowProcess.close = wait_for_ever
    for limit in ("DRAIN_SECONDS", "CLOSE_SECONDS", "OUTLET_SECONDS", "WORKER_SECONDS"):
        setattr(stopping, limit, getattr(stopping, limit) / 10)
    stopping.force_exit_later = partial(stopping.force_exit_later, seconds=4)
    if "no deadline" in stuck:
        stopping.force_exit_later = lambda log: None
        stopping.WORKER_SECONDS = stopping.OUTLET_SECONDS = stopping.STOP_SECONDS * 100
    main()
