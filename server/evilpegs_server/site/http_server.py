"""uvicorn within the event loop of the server: listening, limits for strangers, and an orderly end."""

import asyncio
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from evilpegs_server.matches.counts import HttpCounts
from evilpegs_server.site.problems import problem_response

MAX_CONNECTIONS: Final = 500
MAX_REQUEST_BYTES: Final = 16 << 10
"""The longest request, with its headers and a body that nobody reads."""
KEEP_ALIVE_SECONDS: Final = 15
CHECK_SECONDS: Final = 5.0
"""The time in which a connection must send the rest of a request, or take more of an answer."""
_MALFORMED: Final = "this is not a request that the server can read"
_BACKLOG: Final = 128
CLOSE_SECONDS: Final = 2.0
"""The time that answers have to reach their clients when the server stops."""


class LimitedProtocol(HttpToolsProtocol):
    """A connection that ends if it asks for nothing, sends too much or too slowly, or does not take its answer."""

    _received = 0
    _has_asked = False
    _unsent = 0
    _stale = False
    _check: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, counts: HttpCounts, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._counts = counts

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin the connection, or end it if there are too many."""
        super().connection_made(transport)
        self._counts.connections += 1
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
        else:
            self._check_later()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._counts.connections -= 1
        if self._check is not None:
            self._check.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless this request is too long."""
        self._received += len(data)
        if self._received > MAX_REQUEST_BYTES:
            self.transport.abort()
        else:
            super().data_received(data)

    def on_headers_complete(self) -> None:
        """Pass a request on. One for the server as a whole, `OPTIONS *`, is answered as one for its index."""
        if self.url == b"*":
            self.url = b"/" if self.parser.get_method() == b"OPTIONS" else b"/*"
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the text of uvicorn
        """Answer what is not HTTP with a problem, and close the connection."""
        self._counts.note_status("site", 400)
        response = problem_response(400, _MALFORMED, {"Connection": "close"})
        head = [b"HTTP/1.1 400 Bad Request", *(name + b": " + value for name, value in response.raw_headers)]
        self.transport.write(b"\r\n".join([*head, b"", bytes(response.body)]))
        self.transport.close()

    def on_message_complete(self) -> None:
        """Note that the next bytes belong to another request."""
        super().on_message_complete()
        self._received, self._stale, self._has_asked = 0, False, True

    def _check_later(self) -> None:
        self._check = self.loop.call_later(CHECK_SECONDS, self._end_if_stuck)

    def _end_if_stuck(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        takes_nothing = 0 < self._unsent <= unsent
        is_asking = self._received > 0 or not self._has_asked
        if takes_nothing or (is_asking and self._stale):
            self.transport.abort()
            return
        self._unsent, self._stale = unsent, is_asking
        self._check_later()


class EmbeddedServer(uvicorn.Server):
    """A uvicorn server that leaves signals to the program around it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture nothing."""
        yield


async def bind(host: str, port: int) -> list[socket.socket]:
    """Return a listening socket for each address of ``host``; port 0 takes one that is free. Raises OSError."""
    loop = asyncio.get_running_loop()
    infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets: list[socket.socket] = []
    try:
        for family, _kind, _protocol, _name, address in dict.fromkeys(infos):
            used = sockets[0].getsockname()[1] if sockets else port
            sockets.append(_listen(family, (address[0], used, *address[2:])))
    except OSError:
        for each in sockets:
            each.close()
        raise
    return sockets


def _listen(family: int, address: tuple[Any, ...]) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


@asynccontextmanager
async def running_http_server(
    app: ASGIApp, sockets: list[socket.socket], counts: HttpCounts | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[None]:
    """Serve the application on these sockets within the block. At its end, answers in progress have a short time.

    Connections, and requests that cannot be read, are counted in ``counts``.
    """
    server = EmbeddedServer(
        uvicorn.Config(
            app,
            http=partial(LimitedProtocol, counts=counts or HttpCounts()),  # type: ignore[arg-type]
            ws="none",
            lifespan="off",
            log_config=None,
            log_level=logging.CRITICAL,  # what strangers send is not worth a line, and `Guard` logs failures
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            ssl_context_factory=None if tls is None else lambda _config, _default: tls,
        )
    )
    serving = asyncio.create_task(server.serve(sockets))
    try:
        yield
    finally:
        await _stop(server, serving)


async def _stop(server: EmbeddedServer, serving: asyncio.Task[None]) -> None:
    server.should_exit = True
    await asyncio.wait([serving], timeout=CLOSE_SECONDS)
    if not serving.done():
        server.force_exit = True
        for task in server.server_state.tasks:
            task.cancel()
        for connection in list(server.server_state.connections):
            if isinstance(connection, LimitedProtocol):
                connection.transport.abort()
    await serving
