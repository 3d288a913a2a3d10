"""Threads that a test has started and not ended.

These threads go on using resources of the next tests: the processor, the database, and the global random generator,
whose state Hypothesis watches while it draws. So every test must end the threads that it started. The conftest.py of a
package whose tests start threads imports `no_thread_left`.
"""

import threading
import time

import pytest

from support.local_worker import THREADS
from support.patience import PATIENCE

SHARED_SERVER = "shared server"
"""The name of the thread of a server that is shared by several tests."""
OF_SHARED_SERVER = (SHARED_SERVER, "AnyIO worker", "asyncio_", "leaderboards", "reads", "writer", THREADS)
"""The prefixes of the names of threads that a shared server may start during any test."""


@pytest.fixture(autouse=True)
def no_thread_left():
    """Fail a test that leaves a thread behind."""
    before = threading.enumerate()
    yield
    assert threads_left(before) == []


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
