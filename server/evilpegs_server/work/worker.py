"""The program of the worker process, which runs the tasks that arrive on a socket, each in a thread.

    python -m evilpegs_server.work.worker FD

FD is the number of the inherited file descriptor of the socket. The program ends when the other end of the socket is
closed, so it never outlives its server.
"""

import contextlib
import logging
import os
import socket
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import IO, Any, Final

from evilpegs_server.work.child_process import lower_priority
from evilpegs_server.work.frames import pack, read_message, unpack_messages
from evilpegs_server.work.interpreter import set_switch_interval
from evilpegs_server.work.tasks import Task, run_task
from evilpegs_server.work.workspace import Workspace

NICENESS: Final = 10
"""The number that is added to the nice value of this process, so that the server gets processor time first."""
THREADS: Final = 64
"""The number of threads, chosen to exceed the number of tasks that the pools of the server run at once."""


def main(descriptor: int) -> None:
    """Run tasks until the other end of the socket is closed, then exit at once without waiting for running tasks.

    ``descriptor`` is the file descriptor of the socket. Messages about kernels (functions that numba compiles) are not
    logged, because the server logs them.
    """
    logging.getLogger("evilpegs_game").setLevel(logging.ERROR)
    lower_priority(NICENESS)
    set_switch_interval()
    with contextlib.suppress(EOFError, OSError):
        connection = socket.socket(fileno=descriptor)
        serve(connection, connection.makefile("rb"))
    os._exit(0)


def serve(connection: socket.socket, frames: IO[bytes]) -> None:
    """Run the tasks that arrive in ``frames``, and send their results on ``connection``.

    ``frames`` is a blocking stream of pickled messages. The first message must be a `WorkerSetup`, and each further one
    a pair of a number and a task. The function ends only with an exception.

    Raises:
        EOFError: the stream has ended.
    """
    worker = _Worker(read_message(frames).new_workspace(), connection)
    threads = ThreadPoolExecutor(THREADS, "worker")
    while True:
        threads.submit(worker.run, *read_message(frames))


class _Worker:
    """A workspace in which any thread can run tasks, and the connection on which their results are sent."""

    def __init__(self, workspace: Workspace, connection: socket.socket) -> None:
        self._workspace = workspace
        self._connection = connection
        self._sending = Lock()

    def run(self, number: int, task: Task[Any]) -> None:
        """Run a task, and send ``number``, its result or exception, its cost, and the size of the workspace."""
        outcome, cost = run_task(task, self._workspace)
        if isinstance(outcome, Exception):
            outcome = _sendable(outcome)
        message = pack((number, outcome, cost, self._workspace.state))
        with self._sending, contextlib.suppress(OSError):  # the server is gone
            self._connection.sendall(message)


def _sendable(error: Exception) -> Exception:
    """Return ``error`` with its traceback as a note; if it cannot be pickled, return a RuntimeError in its place."""
    try:
        list(unpack_messages(bytearray(pack(error))))
    except Exception:  # noqa: BLE001 - pickling may raise anything
        error = RuntimeError(repr(error)).with_traceback(error.__traceback__)
    error.add_note("".join(traceback.format_exception(error)))
    return error


if __name__ == "__main__":
    main(int(sys.argv[1]))
