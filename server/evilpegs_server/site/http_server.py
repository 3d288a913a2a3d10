"""The HTTP server of the site: uvicorn in the event loop of the match server, with limits on its connections."""

import asyncio
import logging
import socket
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from evilpegs_server.addresses import counted_network, parse_address
from evilpegs_server.site.counts import SiteCounts
from evilpegs_server.site.loop_share import LoopShare, MeteredApp, RequestQueue
from evilpegs_server.site.responses import problem_response

KEEP_ALIVE_SECONDS: Final = 15
CLOSE_SECONDS: Final = 0.5
"""The time for responses to reach their clients when the server stops."""
MAX_CONNECTIONS: Final = 500
# enough for a class that shares one address; this machine itself is not limited by address
MAX_PER_ADDRESS: Final = 300
MAX_REQUEST_BYTES: Final = 16 << 10
"""The most bytes of a request, with its headers and its body."""
# a connection is closed if its request or its response makes no progress between two checks
CHECK_SECONDS: Final = 5.0
# bytes parsed at a time: enough for most requests, and seldom enough for two
PIECE: Final = 512
_MALFORMED: Final = "the server cannot read this request"


class EmbeddedServer(uvicorn.Server):
    """A uvicorn server that leaves signals to the program around it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def running_http_server(
    app: ASGIApp,
    sockets: list[socket.socket],
    counts: SiteCounts | None = None,
    tls: ssl.SSLContext | None = None,
    share: LoopShare | None = None,
) -> AsyncIterator[None]:
    """Serve ``app`` within the block; at its end, responses in progress have `CLOSE_SECONDS` to finish."""
    share = share or LoopShare()
    site = Connections(counts or SiteCounts(), share, asyncio.get_running_loop())
    server = EmbeddedServer(
        uvicorn.Config(
            MeteredApp(app, share),
            http=partial(LimitedProtocol, site=site),  # type: ignore[arg-type]
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
        for connection in list(server.server_state.connections):
            if isinstance(connection, LimitedProtocol):
                connection.abort()
    await serving
    tasks = list(server.server_state.tasks)
    for task in tasks:  # only now, or uvicorn would write an error on a closed connection
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class Connections:
    """The open connections of the site per address (IPv6 by its /64 network), and the queue of their requests."""

    def __init__(self, counts: SiteCounts, share: LoopShare, loop: asyncio.AbstractEventLoop) -> None:
        self._counts = counts
        self._by_address: Counter[str] = Counter()
        self._queue = RequestQueue(share, loop)

    def add(self, address: str) -> bool:
        """Count a connection; if it exceeds the limits, the caller closes it. Call `remove` in both cases."""
        self._counts.connections += 1
        self._by_address[address] += 1
        within = self._by_address[address] <= MAX_PER_ADDRESS or _is_local(address)
        if within and self._counts.connections <= MAX_CONNECTIONS:
            return True
        self._counts.refused_connections += 1
        return False

    def queue_request(self, connection: object, address: str, begin: Callable[[], None]) -> None:
        """Call ``begin``, never at once, when the next request may be handled; addresses take turns."""
        self._queue.enter(connection, address, begin)

    def remove(self, connection: object, address: str) -> None:
        """Forget a connection that `add` has counted, and its waiting request."""
        self._queue.leave(connection, address)
        self._counts.connections -= 1
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]

    def note_malformed(self) -> None:
        self._counts.note_status(400)


def _is_local(address: str) -> bool:
    parsed = parse_address(address)
    return parsed is not None and parsed.is_loopback


class LimitedProtocol(HttpToolsProtocol):
    """An HTTP connection with limits, for use as the protocol class of uvicorn.

    It is closed if the client sends no request, sends one that is too long or too slow, or does not read the response.
    A request waits in the queue of ``site`` unparsed, and so do further ones until it is answered.
    """

    _address = ""
    _in_progress: RequestResponseCycle | None = None
    _has_turn = False
    _received = 0
    _has_asked = False
    _unsent = 0
    _stale = False
    _check: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, site: Connections, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._site = site
        self._unparsed = bytearray()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        peer = parse_address(self.client[0]) if self.client else None
        self._address = "" if peer is None else counted_network(peer)
        if self._site.add(self._address):
            self._check_later()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._site.remove(self, self._address)
        if self._check is not None:
            self._check.cancel()
        self._drop_response()
        super().connection_lost(exc)

    def abort(self) -> None:
        """Close the connection at once, and drop the rest of the response."""
        self._drop_response()
        self.transport.abort()

    def _drop_response(self) -> None:
        # uvicorn marks only the last of several requests that arrived together
        if self._in_progress is not None and not self._in_progress.response_complete:
            self._in_progress.disconnected = True

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._in_progress = cycle
        super()._start_asgi_task(cycle, app)

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._unparsed += data
        self._pause_if_full()
        self._read_on()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing():
            self._pause_if_full()
            self._read_on()

    def _pause_if_full(self) -> None:
        if len(self._unparsed) > MAX_REQUEST_BYTES:
            self.flow.pause_reading()

    def _read_on(self) -> None:
        if not self._unparsed or self._is_answering() or self.transport.is_closing():
            return
        if self._has_turn:
            self._parse()
        else:
            self._unset_keepalive_if_required()
            self._site.queue_request(self, self._address, self._take_turn)

    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not (cycle.response_complete or cycle.more_body)

    def _take_turn(self) -> None:
        self._has_turn = True
        self._parse()

    def _parse(self) -> None:
        while self._unparsed and self._has_turn and not self.transport.is_closing():
            piece = bytes(self._unparsed[:PIECE])
            del self._unparsed[:PIECE]
            self._received += len(piece)
            if self._received > MAX_REQUEST_BYTES:
                self.abort()
                return
            super().data_received(piece)
        if len(self._unparsed) <= MAX_REQUEST_BYTES and not self._is_answering():
            self.flow.resume_reading()
        self._read_on()

    def on_headers_complete(self) -> None:
        if self.url == b"*":
            self.url = b"/" if self.parser.get_method() == b"OPTIONS" else b"/*"
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the text of uvicorn
        self._site.note_malformed()
        response = problem_response(400, _MALFORMED, {"Connection": "close"})
        head = [b"HTTP/1.1 400 Bad Request", *(name + b": " + value for name, value in response.raw_headers)]
        self.transport.write(b"\r\n".join([*head, b"", bytes(response.body)]))
        self.transport.close()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._received, self._stale, self._has_asked, self._has_turn = 0, False, True, False

    def _check_later(self) -> None:
        self._check = self.loop.call_later(CHECK_SECONDS, self._end_if_stuck)

    def _end_if_stuck(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        takes_nothing = 0 < self._unsent <= unsent
        is_asking = self._received > 0 or bool(self._unparsed) or not self._has_asked
        if takes_nothing or (is_asking and self._stale):
            self.abort()
            return
        self._unsent, self._stale = unsent, is_asking
        self._check_later()
