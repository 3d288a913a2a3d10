"""Threads that read the database for requests, with a bounded queue, so that no read blocks the event loop.

One `Reads` object serves the site and the lists and leaderboards of the game port, so its limit on pending reads
applies to all of these together. The match registry has a `Reads` object of its own, with one thread, for reading
matches that are over.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")

THREADS: Final = 2
"""The largest number of reads that run at the same time. SQLite releases the interpreter lock while it searches."""
MAX_PENDING: Final = 64
"""The largest number of reads that may run or wait at the same time."""


class BusyError(Exception):
    """The error of a read that is refused because too many other reads run or wait."""


class Reads:
    """A pool of ``threads`` threads for calls that read the database; at most ``max_pending`` calls may run or wait."""

    def __init__(self, threads: int = THREADS, max_pending: int = MAX_PENDING) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="reads")
        self._max_pending = max_pending
        self._pending: set[Future[object]] = set()

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call ``function`` in a thread with the given arguments, and return its result.

        A call that has begun runs to its end even if the caller is cancelled, and counts as pending until then.

        Raises:
            BusyError: as many calls as the pool allows, ``max_pending``, run or wait already.
        """
        if len(self._pending) >= self._max_pending:
            raise BusyError
        future = self._executor.submit(function, *args, **kwargs)
        self._pending.add(future)  # type: ignore[arg-type]
        future.add_done_callback(self._pending.discard)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Cancel the waiting calls, and return when the running calls are finished."""
        self._executor.shutdown(cancel_futures=True)
