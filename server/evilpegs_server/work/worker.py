"""The program of the worker process: run tasks that arrive on a socket, each on a thread.

    python -m evilpegs_server.work.worker FD

It ends when the other end of the socket is closed, so it never outlives its server.
"""

import contextlib
import os
import socket
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import IO, Any, Final

from evilpegs_server.work.interpreter import switch_soon
from evilpegs_server.work.tasks import Task, run_task
from evilpegs_server.work.worker_process import packed, read, unpacked
from evilpegs_server.work.workspace import Workspace

NICENESS: Final = 10
"""How far this process stands back behind the event loop's."""
EXPENDABLE: Final = 500
"""Of 1000: when the machine runs out of memory this process goes before the server, which then begins another."""
THREADS: Final = 64
"""More than pools have lanes: how many tasks run at once is for them to say."""


def main(descriptor: int) -> None:
    """Serve until the other end is closed, then end at once: nobody wants what is under way."""
    _step_back()
    switch_soon()
    with contextlib.suppress(EOFError, OSError):
        channel = socket.socket(fileno=descriptor)
        serve(channel, channel.makefile("rb"))
    os._exit(0)


def serve(channel: socket.socket, frames: IO[bytes]) -> None:
    """Do the tasks that come in ``frames``; raises EOFError at their end."""
    worker = _Worker(read(frames).workspace(), channel)
    threads = ThreadPoolExecutor(THREADS, "worker")
    while True:
        threads.submit(worker.run, *read(frames))


class _Worker:
    """Does tasks on any thread and sends what came of them."""

    def __init__(self, workspace: Workspace, channel: socket.socket) -> None:
        self._workspace = workspace
        self._channel = channel
        self._sending = Lock()

    def run(self, number: int, task: Task[Any]) -> None:
        """Do a task and say what came of it."""
        outcome, cost = run_task(task, self._workspace)
        if isinstance(outcome, Exception):
            outcome = _sendable(outcome)
        message = packed((number, outcome, cost, self._workspace.state))
        with self._sending, contextlib.suppress(OSError):  # nobody is there any more
            self._channel.sendall(message)


def _sendable(error: Exception) -> Exception:
    """An error that says where it was raised, of a kind that can be made again elsewhere."""
    try:
        list(unpacked(bytearray(packed(error))))
    except Exception:  # noqa: BLE001 - whatever it objects to
        error = RuntimeError(repr(error)).with_traceback(error.__traceback__)
    error.add_note("".join(traceback.format_exception(error)))
    return error


def _step_back() -> None:
    """Let the server go first, with the processor and with memory, as far as the system lets one ask for that."""
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(EXPENDABLE))


if __name__ == "__main__":
    main(int(sys.argv[1]))
