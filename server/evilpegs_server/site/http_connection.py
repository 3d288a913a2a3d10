"""The HTTP connections of the site: their limits, and the queue in which their requests wait."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from evilpegs_server.addresses import counted_network, parse_address
from evilpegs_server.matches.counts import HttpCounts
from evilpegs_server.site.loop_share import LoopShare, RequestQueue
from evilpegs_server.site.problems import problem_response

MAX_CONNECTIONS: Final = 500
MAX_PER_ADDRESS: Final = 300
"""The largest number of connections per address, enough for a class that shares one address.

Connections from this machine itself are not limited by address.
"""
MAX_REQUEST_BYTES: Final = 16 << 10
"""The largest size in bytes of a request, including its headers and its body."""
CHECK_SECONDS: Final = 5.0
"""The seconds between two checks of a connection, which is closed if its request or its response makes no progress."""
PIECE: Final = 512
"""The number of bytes that are parsed at a time: enough for most requests, and seldom enough for two."""
_MALFORMED: Final = "this is not a request that the server can read"


class Connections:
    """The open connections of the site, counted per address, and the queue of their requests.

    The numbers of open connections, of refused ones, and of requests that had to wait are kept in ``counts``. Requests
    wait while ``share``, the time of the site on the event loop, is used up. An address is the text under which limits
    count a client: an IPv4 address, or the /64 network of an IPv6 address.
    """

    def __init__(self, counts: HttpCounts, share: LoopShare, loop: asyncio.AbstractEventLoop) -> None:
        self._counts = counts
        self._by_address: Counter[str] = Counter()
        self._queue = RequestQueue(share, loop)

    def add(self, address: str) -> bool:
        """Count a connection from ``address``, and return True if the connection is within the limits.

        If the result is False, the caller closes the connection. In both cases, call `remove` when it is closed.
        """
        self._counts.connections += 1
        self._by_address[address] += 1
        within = self._by_address[address] <= MAX_PER_ADDRESS or _is_local(address)
        if within and self._counts.connections <= MAX_CONNECTIONS:
            return True
        self._counts.refused_connections += 1
        return False

    def queue_request(self, connection: object, address: str, begin: Callable[[], None]) -> None:
        """Arrange that ``begin`` is called when the next request of ``connection`` may be handled.

        ``address`` is that of the connection; addresses take turns. ``begin`` is never called within this call.
        """
        if not self._queue.enter(connection, address, begin):
            self._counts.waits += 1

    def remove(self, connection: object, address: str) -> None:
        """Forget a connection from ``address`` that `add` has counted, and its request if one waits."""
        self._queue.leave(connection, address)
        self._counts.connections -= 1
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]

    def note_malformed(self) -> None:
        """Count a request that is not valid HTTP."""
        self._counts.note_status("site", 400)


def _is_local(address: str) -> bool:
    parsed = parse_address(address)
    return parsed is not None and parsed.is_loopback


class LimitedProtocol(HttpToolsProtocol):
    """An HTTP connection with limits, for use as the protocol class of uvicorn.

    The connection is closed if the client sends no request, sends a request that is too long or too slow, or does not
    read the response. ``site`` counts the connections of the site and has the queue in which each request waits before
    it is parsed. Further requests of the same connection stay unparsed until the current one is answered.
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
        """Begin to serve the connection, or close it if there are too many connections."""
        super().connection_made(transport)
        peer = parse_address(self.client[0]) if self.client else None
        self._address = "" if peer is None else counted_network(peer)
        if self._site.add(self._address):
            self._check_later()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection and stop its timer."""
        self._site.remove(self, self._address)
        if self._check is not None:
            self._check.cancel()
        self._drop_response()
        super().connection_lost(exc)

    def abort(self) -> None:
        """Close the connection at once, and drop the rest of the current response."""
        self._drop_response()
        self.transport.abort()

    def _drop_response(self) -> None:
        """Mark the response in progress as disconnected, so that nothing more is written to the closed transport.

        uvicorn does so only for the last of several requests that arrived together.
        """
        if self._in_progress is not None and not self._in_progress.response_complete:
            self._in_progress.disconnected = True

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._in_progress = cycle
        super()._start_asgi_task(cycle, app)

    def data_received(self, data: bytes) -> None:
        """Keep the received bytes until their request may be parsed.

        While more than `MAX_REQUEST_BYTES` bytes are kept, nothing more is read from the socket.
        """
        self._unset_keepalive_if_required()
        self._unparsed += data
        self._pause_if_full()
        self._read_on()

    def on_response_complete(self) -> None:
        """Continue with the next request if its bytes have been received."""
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
        """Parse the received bytes up to the end of the request; close the connection if the request is too long."""
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
        """Pass a request to the application. The request ``OPTIONS *`` is treated as a request for the path ``/``."""
        if self.url == b"*":
            self.url = b"/" if self.parser.get_method() == b"OPTIONS" else b"/*"
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the text of uvicorn
        """Answer invalid HTTP with a problem document, and close the connection. ``msg`` is not used."""
        self._site.note_malformed()
        response = problem_response(400, _MALFORMED, {"Connection": "close"})
        head = [b"HTTP/1.1 400 Bad Request", *(name + b": " + value for name, value in response.raw_headers)]
        self.transport.write(b"\r\n".join([*head, b"", bytes(response.body)]))
        self.transport.close()

    def on_message_complete(self) -> None:
        """Note that the request is complete, so that the next bytes belong to another request."""
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
