"""The HTTP server of the site: uvicorn, with limits for clients that connect too often, send slowly or do not read."""

import asyncio
import ctypes
import gc
import logging
import socket
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from operator import itemgetter
from typing import Any, Final

import h11
import uvicorn
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evilpegs_server.addresses import TrustedProxies
from evilpegs_server.limits import NetworkCounter
from evilpegs_server.site.metrics import SiteCounts
from evilpegs_server.site.responses import RETRY, is_stream, problem_response
from evilpegs_server.timing import Timing

KEEP_ALIVE_SECONDS: Final = 15
MAX_REQUEST_BYTES: Final = 16 << 10
"""The most bytes of a request, with its headers and its body."""
MAX_UNSENT_BYTES: Final = 1 << 20
"""A client of a stream for whom more bytes wait is cut off; it may come back with `Last-Event-ID`."""
MAX_ALL_UNSENT_BYTES: Final = 64 << 20
"""If more bytes wait for all clients together, those for whom the most wait are cut off."""
STREAM_BUFFER_BYTES: Final = 32 << 10
"""What the kernel may hold for a client of a stream; it takes twice as much, and without this, some megabytes."""


class Visitors:
    """The addresses of visitors, directly or behind proxies, and their shares.

    Without a proxy each may have ``most`` connections. Behind one, which keeps and shares connections, each may have as
    many requests in progress. This machine itself is not limited.
    """

    def __init__(self, proxies: TrustedProxies, most: int) -> None:
        self.proxies = proxies
        self.connections, self.requests = NetworkCounter(most), NetworkCounter(most)


class Backlog:
    """What waits for clients who read more slowly than others are served."""

    def __init__(self, connections: Iterable["Connection"], most: int, release_seconds: float) -> None:
        self._connections, self._most, self._release_seconds = connections, most, release_seconds
        self._written = 0
        self._is_releasing = False

    def note(self, written: int) -> None:
        """Count bytes that were written. After an eighth of the most, see how many wait, and let the slowest leave."""
        self._written += written
        if self._written < self._most // 8:
            return
        self._written = 0
        waiting = sorted(((each.unsent, each) for each in self._connections), key=itemgetter(0), reverse=True)
        total = sum(unsent for unsent, _ in waiting)
        for unsent, slowest in waiting:
            if total <= self._most - self._most // 8:
                return
            self.cut_off(slowest)
            total -= unsent

    def cut_off(self, slow: "Connection") -> None:
        """Abort a connection, and soon give back the memory that waited for it."""
        slow.transport.abort()
        if not self._is_releasing:
            self._is_releasing = True
            asyncio.get_running_loop().call_later(self._release_seconds, self._release)

    def _release(self) -> None:
        self._is_releasing = False
        gc.collect()
        # of glibc, which would keep what is free between what is not
        if (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
            trim(0)


@asynccontextmanager
async def running_http_server(
    app: ASGIApp,
    sockets: list[socket.socket],
    counts: SiteCounts,
    max_connections: int,
    visitors: Visitors,
    timing: Timing,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[None]:
    """Serve ``app`` within the block; at its end, responses in progress have ``site_close_seconds`` to finish."""
    # first that whose last request is longest ago
    connections: dict[Connection, None] = {}
    backlog = Backlog(connections, MAX_ALL_UNSENT_BYTES, timing.memory_release_seconds)
    config = uvicorn.Config(
        partial(_answer, app, counts, visitors, backlog),
        # it parses a request when the last one is answered; httptools parses all that arrives, some kilobytes for each
        http="h11",
        interface="asgi3",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level=logging.CRITICAL,  # what strangers send is not worth a line, and `Guard` logs failures
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=timing.site_close_seconds - 0.2,  # type: ignore[arg-type] # with the pauses of uvicorn
        ssl_context_factory=None if tls is None else lambda _config, _default: tls,
    )
    config.load()
    limits = max_connections, visitors, backlog, timing.site_check_seconds
    limited = partial(Connection, connections, counts, *limits, config.http_protocol_class)
    config.http_protocol_class = limited  # type: ignore[assignment] # it is called like a class
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # type: ignore[method-assign, assignment] # they are the program's
    serving = asyncio.create_task(server.serve(sockets))
    try:
        yield
    finally:
        server.should_exit = True
        await serving
        for connection in connections:  # those that do not read
            connection.transport.abort()
        while connections:  # noqa: ASYNC110 - for a moment
            await asyncio.sleep(0)


async def _answer(
    app: ASGIApp,
    counts: SiteCounts,
    visitors: Visitors,
    backlog: Backlog,
    scope: Scope,
    receive: Receive,
    send: Send,
) -> None:
    connection: Connection = scope["state"]["connection"]
    connection.note_request(Headers(scope=scope))
    visitor = scope["state"]["visitor"] = connection.visitor
    task: asyncio.Task[Any] = asyncio.current_task()  # type: ignore[assignment] # uvicorn runs each request in one
    task.add_done_callback(connection.unanswered.discard)
    if not is_stream(scope):
        connection.unanswered.add(task)

    async def count_and_send(message: Message) -> None:
        if message["type"] == "http.response.start":
            connection.unanswered.discard(task)
            counts.note_status(message["status"])
        else:
            backlog.note(len(message.get("body", b"")))
        try:
            await send(message)
        except h11.LocalProtocolError:  # uvicorn has meanwhile answered 400 to a malformed body
            if not connection.transport.is_closing():
                raise

    if not connection.is_of_proxy:
        await app(scope, receive, count_and_send)
    elif visitors.requests.take(visitor):
        try:
            await app(scope, receive, count_and_send)
        finally:
            visitors.requests.give_back(visitor)
    else:
        detail = "too many requests from your address are in progress; close some streams of events, or try again soon"
        await problem_response(429, detail, RETRY)(scope, receive, count_and_send)


class Connection(asyncio.Protocol):
    """A connection to uvicorn, closed if there are too many, or its client sends too much, too slowly, or reads not."""

    def __init__(
        self,
        others: dict["Connection", None],
        counts: SiteCounts,
        most: int,
        visitors: Visitors,
        backlog: Backlog,
        check_seconds: float,
        http_protocol: type[asyncio.Protocol],
        app_state: dict[str, Any],
        **rest: Any,
    ) -> None:
        self._others, self._counts, self._most, self._visitors = others, counts, most, visitors
        self._backlog, self._check_seconds = backlog, check_seconds
        self._http = http_protocol(app_state=app_state | {"connection": self}, **rest)  # type: ignore[call-arg]
        self.received = 1  # a new connection is like a begun request
        # requests that end when the client leaves; uvicorn would say so to who awaits `receive`, but read on meanwhile
        self.unanswered: set[asyncio.Task[Any]] = set()
        self._written, self._unsent, self._is_late = 0, 0, False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.transport = transport
        self._peer = (transport.get_extra_info("peername") or ("",))[0]
        self.is_of_proxy = self._visitors.proxies.trusts(self._peer)
        self.visitor = None if self.is_of_proxy else self._visitors.proxies.counted_peer(self._peer)
        self._place = self.visitor
        if not self._visitors.connections.take(self._place):
            self._counts.refused_connections += 1
            transport.set_protocol(asyncio.Protocol())
            transport.abort()
            return
        if len(self._others) >= self._most:
            self._drop_slowest()
        self._others[self] = None
        self._counts.connections = len(self._others)
        self._http.connection_made(transport)
        self._check_again()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        self._visitors.connections.give_back(self._place)
        self._others.pop(self, None)
        self._counts.connections = len(self._others)
        self._http.connection_lost(exc)
        for task in self.unanswered:
            task.cancel()

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        if self.received > MAX_REQUEST_BYTES:
            self.transport.abort()
            return
        try:
            self._http.data_received(data)
        except h11.LocalProtocolError:  # uvicorn cannot answer 400 to a malformed body after a response
            self.transport.abort()

    def pause_writing(self) -> None:
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._http.resume_writing()

    @property
    def unsent(self) -> int:
        """The bytes that wait here, without those in the kernel."""
        return self.transport.get_write_buffer_size()

    def begin_stream(self) -> None:
        """Let little wait in the kernel, where nobody sees how much the client has read."""
        own: socket.socket = self.transport.get_extra_info("socket")
        own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, STREAM_BUFFER_BYTES)

    def write(self, data: bytes) -> None:
        """Write a part of a body that has begun, beside uvicorn and its waiting."""
        if self.transport.is_closing():
            return
        self.transport.write(data)
        self._come_last()
        self._written += len(data)
        if self.unsent > MAX_UNSENT_BYTES:
            self._backlog.cut_off(self)
        self._backlog.note(len(data))

    def write_chunk(self, data: bytes) -> None:
        """Write a part of a body in chunks, as HTTP/1.1 has it."""
        self.write(b"%x\r\n%b\r\n" % (len(data), data))

    def note_request(self, headers: Headers) -> None:
        # they have arrived
        self.received, self._is_late = 0, False
        if self.is_of_proxy:
            named = headers.getlist("forwarded"), headers.getlist("x-forwarded-for")
            self.visitor = self._visitors.proxies.counted_client(self._peer, *named)
        self._come_last()

    def _come_last(self) -> None:
        if self in self._others:
            self._others[self] = self._others.pop(self)

    def _drop_slowest(self) -> None:
        # of the address with the most, which else could keep all others out
        ((crowded, _),) = Counter(each.visitor for each in self._others).most_common(1)
        slowest = next(each for each in self._others if each.visitor == crowded)
        del self._others[slowest]
        self._counts.refused_connections += 1
        slowest.transport.abort()

    def check(self) -> None:
        """Close the connection if its client has sent no whole request, or read nothing, since the last check."""
        unsent = self.unsent
        if (self.received and self._is_late) or 0 < self._unsent <= unsent - self._written:
            self._backlog.cut_off(self)
        self._written, self._unsent, self._is_late = 0, unsent, self.received > 0

    def _check_again(self) -> None:
        self.check()
        self._timer = asyncio.get_running_loop().call_later(self._check_seconds, self._check_again)
