"""Threads that read the database for requests, with a bounded queue."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")

# SQLite releases the interpreter lock while it searches
THREADS: Final = 2
MAX_PENDING: Final = 64  # running and waiting


class BusyError(Exception):
    """A read that is refused because too many others run or wait."""


class Reads:
    def __init__(self, threads: int = THREADS, max_pending: int = MAX_PENDING) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="reads")
        self._max_pending = max_pending
        self._pending: set[Future[object]] = set()

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call ``function`` in a thread. Raises BusyError if ``max_pending`` calls run or wait already."""
        if len(self._pending) >= self._max_pending:
            raise BusyError("too many requests are waiting; try again soon")
        future = self._executor.submit(function, *args, **kwargs)
        self._pending.add(future)  # type: ignore[arg-type]
        # a call that has started runs to its end, and counts until then, even if the caller is cancelled
        future.add_done_callback(self._pending.discard)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Cancel the waiting calls, and return when the running ones are finished."""
        self._executor.shutdown(cancel_futures=True)
