"""Reading the database: in threads for requests, with a bounded queue, and again and again."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

from structlog.stdlib import BoundLogger

from evilpegs_server.storage.errors import first_line

_P = ParamSpec("_P")
_T = TypeVar("_T")

# SQLite releases the interpreter lock while it searches
THREADS: Final = 2
MAX_PENDING: Final = 64  # running and waiting
MAX_CAUSES: Final = 5  # that a log names before all is well again


class BusyError(Exception):
    """A read that is refused because too many others run or wait."""


class Reads:
    def __init__(self, threads: int = THREADS, max_pending: int = MAX_PENDING) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="reads")
        self._max_pending = max_pending
        self._pending: set[Future[object]] = set()

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call ``function`` in a thread. Raises BusyError if ``max_pending`` calls run or wait, or when closed."""
        if len(self._pending) >= self._max_pending:
            raise BusyError("too many requests are waiting; try again soon")
        future = self._executor.submit(function, *args, **kwargs)
        self._pending.add(future)  # type: ignore[arg-type]
        # a call that has started runs to its end, and counts until then, even if the caller is cancelled
        future.add_done_callback(self._pending.discard)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Cancel the waiting calls, refuse others, and return when the running ones are finished."""
        self._max_pending = 0
        self._executor.shutdown(cancel_futures=True)


async def keep_looking(
    seconds: float, look: Callable[[], Awaitable[None]], what: str, log: BoundLogger, failing: dict[str, set[object]]
) -> None:
    """Call ``look`` every ``seconds`` until canceled; log each cause of errors once, and when all are over.

    Loops that notice the same outage log it together: they have one ``failing``, which is empty at first.
    """
    while True:
        await asyncio.sleep(seconds)
        try:
            await look()
        except Exception as error:  # noqa: BLE001 - the disk may be better the next time
            cause = str(error).partition("\n")[0].rpartition("; ")[2]  # of one outage, the remedy is always the same
            if cause not in failing and len(failing) < MAX_CAUSES:
                log.warning(f"cannot look {what}", error=type(error).__name__, why=first_line(error))
                failing[cause] = set()
            failing.get(cause, set()).add(look)
        else:
            for looks in failing.values():
                looks.discard(look)
            if failing and not any(failing.values()):
                log.info("can look again")
                failing.clear()
