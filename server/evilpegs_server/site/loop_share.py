"""A limit on the time that the site takes from the event loop, and the order in which its requests are handled.

The games run on the same event loop, so a flood of requests would delay every guess (measured: 400 connections that ask
without a pause raise the median of a guess from 2 to 600 ms). Everything that a request costs is therefore measured:
the steps of its coroutine on the event loop, each until it waits or ends, and its reads in threads, which take the
interpreter lock. While the site has used more than its share of the time, the next request waits, unparsed. The
requests of an address wait in order, and addresses take turns, so a client that floods the site delays only itself.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Generator
from time import perf_counter
from typing import Any, Final, ParamSpec, TypeVar

from starlette.types import ASGIApp, Receive, Scope, Send

from evilpegs_server.storage.reads import Reads

_P = ParamSpec("_P")
_T = TypeVar("_T")

# games keep at least the remaining 70 % of the time
SHARE: Final = 0.3
# after a rest, enough for some hundred requests, those of a class that opens the page
BURST_SECONDS: Final = 0.3
# accepting, parsing and sending (measured with wrk: 0.1 to 0.2 ms)
REQUEST_SECONDS: Final = 150e-6
# per iteration of the event loop, so a guess waits for no more
ADMITTED_PER_STEP: Final = 4


class LoopShare:
    """A budget of seconds on the event loop: ``burst`` at first, regaining ``share`` per second up to ``burst``."""

    def __init__(
        self, share: float = SHARE, burst: float = BURST_SECONDS, clock: Callable[[], float] = perf_counter
    ) -> None:
        self._share, self._burst, self._clock = share, burst, clock
        self._left, self._counted_at = burst, clock()

    def spend(self, seconds: float) -> None:
        """Charge the budget, which may become negative."""
        self._left -= seconds

    def wait_seconds(self) -> float:
        """Return the seconds until the budget is no longer negative."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._counted_at) * self._share)
        self._counted_at = now
        return max(0.0, -self._left / self._share)

    def metered(self, coroutine: Awaitable[None]) -> Awaitable[None]:
        """Charge the steps of ``coroutine`` on the event loop to this budget."""
        return _Metered(coroutine, self)


class _Metered:
    def __init__(self, coroutine: Awaitable[None], share: LoopShare) -> None:
        self._coroutine, self._share = coroutine, share

    def __await__(self) -> Generator[Any, None, None]:
        steps = self._coroutine.__await__()
        step: Callable[[], Any] = steps.__next__
        while True:
            started = perf_counter()
            try:
                awaited = step()
            except StopIteration:
                return
            finally:
                self._share.spend(perf_counter() - started)
            try:
                yield awaited
                step = steps.__next__
            except BaseException as error:  # noqa: BLE001 - the coroutine decides what an error or a cancellation does
                step = _thrower(steps, error)


def _thrower(steps: Any, error: BaseException) -> Callable[[], Any]:
    return lambda: steps.throw(error)


class MeteredApp:
    """ASGI middleware that charges the time of each request on the event loop."""

    def __init__(self, app: ASGIApp, share: LoopShare) -> None:
        self._app, self._share = app, share

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._share.metered(self._app(scope, receive, send))


class MeteredReads:
    """Reading threads whose calls are charged, because they take the interpreter lock from the event loop."""

    def __init__(self, reads: Reads, share: LoopShare | None = None) -> None:
        self._reads, self.share = reads, share or LoopShare()

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call ``function`` in a thread; raises BusyError if too many calls run or wait."""
        times = []

        def call() -> _T:
            times.append(perf_counter())
            try:
                return function(*args, **kwargs)
            finally:
                times.append(perf_counter())

        try:
            return await self._reads.run(call)
        finally:
            if len(times) == 2:
                self.share.spend(times[1] - times[0])


class RequestQueue:
    """The connections whose next request waits for the budget; addresses take turns."""

    def __init__(self, share: LoopShare, loop: asyncio.AbstractEventLoop) -> None:
        self._share, self._loop = share, loop
        self._waiting: OrderedDict[str, dict[object, Callable[[], None]]] = OrderedDict()
        self._next_step: asyncio.Handle | None = None

    def enter(self, connection: object, address: str, begin: Callable[[], None]) -> bool:
        """Call ``begin``, never at once, when the request may be handled; return False if the budget is used up."""
        self._waiting.setdefault(address, {}).setdefault(connection, begin)
        if self._next_step is None:
            self._next_step = self._loop.call_soon(self._admit)
        return self._share.wait_seconds() == 0

    def leave(self, connection: object, address: str) -> None:
        connections = self._waiting.get(address, {})
        connections.pop(connection, None)
        if not connections:
            self._waiting.pop(address, None)

    def _admit(self) -> None:
        self._next_step = None
        for _ in range(ADMITTED_PER_STEP):
            if not self._waiting or self._share.wait_seconds() > 0:
                break
            self._share.spend(REQUEST_SECONDS)
            self._take_next()()
        if self._waiting and self._next_step is None:
            self._next_step = self._loop.call_later(self._share.wait_seconds(), self._admit)

    def _take_next(self) -> Callable[[], None]:
        address, connections = self._waiting.popitem(last=False)
        begin = connections.pop(next(iter(connections)))
        if connections:
            self._waiting[address] = connections
        return begin
