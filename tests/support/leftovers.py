"""Threads that a test leaves behind.

They go on using what the next tests use: the processor, the database, and the global random generator, whose state
Hypothesis watches while it draws. So every test ends the threads that it started.
"""

import threading
import time

PATIENCE = 5
"""Seconds in which the threads of a test must end once it is over."""
SHARED_SERVER = "shared server"
"""The name of the thread of a server that several tests share."""
OF_SHARED_SERVER = (SHARED_SERVER, "asyncio_", "leaderboards", "reads", "writer")
"""The beginnings of the names of threads that such a server may start during any test."""


def threads_left(before, patience=PATIENCE):
    """Return the names of the threads that were not among ``before`` and do not end within ``patience`` seconds."""
    deadline = time.monotonic() + patience
    while (left := _new_threads(before)) and time.monotonic() < deadline:
        left[0].join(0.05)
    return sorted(thread.name for thread in left)


def _new_threads(before):
    threads = threading.enumerate()
    allowed = OF_SHARED_SERVER if any(thread.name == SHARED_SERVER for thread in threads) else ()
    return [thread for thread in threads if thread not in before and not thread.name.startswith(allowed)]
