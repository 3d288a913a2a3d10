"""Child processes of the server: their start, and a priority below that of the server.

A child has one end of a pair of sockets. It ends when the other end is closed, so it never outlives its server.
"""

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

OOM_SCORE: Final = 500
"""The ``oom_score_adj`` of a child, at most 1000. When memory runs out, Linux kills a child before the server."""


def spawn_child(module: str, descriptor: int) -> "subprocess.Popen[bytes]":
    """Start the Python module named ``module`` as a program in a child process, and return the process.

    ``descriptor`` is the file descriptor of the child's socket; the child inherits it and gets its number as argument.
    The child has a process group of its own, so that Ctrl-C on the terminal reaches only the server.

    Raises:
        OSError: the process cannot be started.
    """
    command = [sys.executable, "-P", "-m", module, str(descriptor)]
    devnull = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=devnull, stdout=devnull, pass_fds=[descriptor], process_group=0)  # noqa: S603


def lower_priority(niceness: int) -> None:
    """Lower the priority of this child process, so that the server precedes it for processor time and memory.

    ``niceness`` is added to the nice value of the process, and its out-of-memory score becomes `OOM_SCORE`. A change
    that the system does not allow is left out without an error.
    """
    with contextlib.suppress(OSError):
        os.nice(niceness)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE))
