"""Child processes of the server: their start, and a priority below that of the server.

A child has one end of a pair of sockets. It ends when the other end is closed, so it never outlives its server.
"""

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

# `oom_score_adj`, at most 1000: when memory runs out, Linux kills a child before the server
OOM_SCORE: Final = 500


def spawn_child(module: str, descriptor: int) -> "subprocess.Popen[bytes]":
    """Start ``module`` as a program in a process that inherits the socket ``descriptor``. Raises OSError."""
    command = [sys.executable, "-P", "-m", module, str(descriptor)]
    devnull = subprocess.DEVNULL
    # a process group of its own, so that Ctrl-C on the terminal reaches only the server
    return subprocess.Popen(command, stdin=devnull, stdout=devnull, pass_fds=[descriptor], process_group=0)  # noqa: S603


def lower_priority(niceness: int) -> None:
    """Let the server precede this process for processor time and memory, as far as the system allows."""
    with contextlib.suppress(OSError):
        os.nice(niceness)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE))
