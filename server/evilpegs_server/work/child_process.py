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
"""The out-of-memory score, of 1000: the system kills a child before the server, which then starts another."""


def spawn_child(module: str, descriptor: int) -> "subprocess.Popen[bytes]":
    """Start ``module`` as a program whose argument is the number of its socket.

    It is in a group of its own, because Ctrl-C on the terminal is for the server alone.
    """
    command = [sys.executable, "-P", "-m", module, str(descriptor)]
    devnull = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=devnull, stdout=devnull, pass_fds=[descriptor], process_group=0)  # noqa: S603


def lower_priority(niceness: int) -> None:
    """Give the server precedence for processor time and memory, as far as the system supports that."""
    with contextlib.suppress(OSError):
        os.nice(niceness)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE))
