"""A server for tests of stopping, some parts of which never respond once it stops.

STUCK=writer,worker,outlets python stuck_server.py serve --port 0 ...

Each step of its stop has a tenth of its time, and all have longer than the steps together.
"""

import asyncio
import contextlib
import os
import threading
from dataclasses import replace
from functools import partial

import evilpegs_server.server
from evilpegs.commands import serve
from evilpegs.main import main
from evilpegs_server.server import serve_until_stopped
from evilpegs_server.show_process import ShowProcess
from evilpegs_server.storage.log.writer import Writer
from evilpegs_server.timing import Timing
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
    timing = Timing(drain_seconds=0.3, close_seconds=0.2, outlet_seconds=0.25, worker_seconds=0.1, stop_seconds=4)
    if "no deadline" in stuck:
        timing = replace(timing, outlet_seconds=1000, worker_seconds=1000, stop_seconds=1000)
    serve.serve_until_stopped = partial(serve_until_stopped, timing=timing)
    main()
