"""The program of the worker process, which runs the tasks that arrive on a socket, each in a thread.

    python -m evilpegs_server.work.worker FD

FD is the file descriptor of the socket. The server sends a `WorkerSetup`, then pairs ``(number, task)``. The answer to
each is ``(number, outcome, cost, state)``: the result or exception, the cost in units of about 2 nanoseconds, and the
`WorkspaceState` after it.
"""

import contextlib
import logging
import os
import pickle
import socket
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, Final

from evilpegs_server.work.child_process import pack, receive_messages
from evilpegs_server.work.interpreter import SWITCH_SECONDS
from evilpegs_server.work.priority import lower_priority
from evilpegs_server.work.tasks import Task, run_task

# so that the server gets processor time first
NICENESS: Final = 15
# more than the tasks that the pools of the server run at once
THREADS: Final = 64


def main(descriptor: int) -> None:
    """Run tasks until the other end of the socket is closed, then exit without waiting for running tasks."""
    # the server logs the messages about kernels
    logging.getLogger("evilpegs_game").setLevel(logging.ERROR)
    lower_priority(NICENESS)
    sys.setswitchinterval(SWITCH_SECONDS)
    with contextlib.suppress(OSError):
        serve_tasks(socket.socket(fileno=descriptor))
    os._exit(0)


def serve_tasks(connection: socket.socket) -> None:
    """Run the tasks that arrive, a `WorkerSetup` and then pairs (number, task), until the other end is closed."""
    messages, sending = receive_messages(connection), Lock()
    if (setup := next(messages, None)) is None:
        return
    workspace = setup.new_workspace()

    def run(number: int, task: Task[Any]) -> None:
        outcome, cost = run_task(task, workspace)
        if isinstance(outcome, Exception):
            outcome = _sendable(outcome)
        message = pack((number, outcome, cost, workspace.state))
        with sending, contextlib.suppress(OSError):  # the server is gone
            connection.sendall(message)

    threads = ThreadPoolExecutor(THREADS, "worker")
    for number, task in messages:
        threads.submit(run, number, task)


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    except Exception:  # noqa: BLE001 - pickling may raise anything
        error = RuntimeError(repr(error)).with_traceback(error.__traceback__)
    error.add_note("".join(traceback.format_exception(error)))
    return error


if __name__ == "__main__":
    main(int(sys.argv[1]))
