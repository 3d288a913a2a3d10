"""The worker process of servers whose tests are not about it, as threads of the test's process."""

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from evilpegs_server import readers, server
from evilpegs_server.work.tasks import ExportSolved, WarmUp, run_task
from evilpegs_server.work.worker_process import WorkerProcess

THREADS = "local worker"
"""The prefix of the names of its threads."""


class LocalWorker:
    """A stand-in for `WorkerProcess`, which needs a second of processor time until its process has its kernels."""

    def __init__(self, setup, _log, _export_seconds):
        self._workspace, self._threads = setup.new_workspace(), ThreadPoolExecutor(2, THREADS)
        self._is_closed = False

    @property
    def state(self):
        return self._workspace.state

    def start(self):
        """Do nothing: threads start with tasks."""

    def submit(self, task, done):
        loop = asyncio.get_running_loop()
        if isinstance(task, WarmUp):
            loop.call_soon(done, None, 0)
        elif not self._is_closed:
            self._threads.submit(lambda: loop.call_soon_threadsafe(done, *run_task(task, self._workspace)))

    run = WorkerProcess.run

    async def close(self):
        self._is_closed = True
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        return ExportSolved().run(self._workspace).value


@contextlib.contextmanager
def no_worker_process():
    """Let servers of this process have threads instead of a worker process during the block."""
    with (
        mock.patch.object(server, "WorkerProcess", LocalWorker),
        mock.patch.object(readers, "WorkerProcess", LocalWorker),
    ):
        yield
