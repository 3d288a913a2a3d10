"""Threads for everything that requests read, so that no request occupies the event loop or waits without end.

One `Reads` serves the game port and the site: its bound holds for all readers of a server together.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")

THREADS: Final = 2
"""The number of reads at a time. SQLite releases the interpreter lock while it searches."""
MAX_PENDING: Final = 64
"""The number of reads that may run or wait."""


class BusyError(Exception):
    """The refusal of a read because too many wait already."""


class Reads:
    """A few threads with a bounded queue."""

    def __init__(self, threads: int = THREADS, max_pending: int = MAX_PENDING) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="reads")
        self._max_pending = max_pending
        self._pending: set[Future[object]] = set()

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a function in a thread and return its result. Raises BusyError if too many calls wait.

        A call that has begun runs to its end, and counts until then, even if nobody waits for it any more.
        """
        if len(self._pending) >= self._max_pending:
            raise BusyError
        future = self._executor.submit(function, *args, **kwargs)
        self._pending.add(future)  # type: ignore[arg-type]
        future.add_done_callback(self._pending.discard)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Drop the calls that wait, and return when those that have begun are finished."""
        self._executor.shutdown(cancel_futures=True)
