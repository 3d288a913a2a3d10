"""WebSocket connections that bound the work and the memory which one peer can cause.

The library parses whatever one read returns, up to 256 KiB or 40,000 empty pings, before the event loop goes on. Its
answers to pings are written without regard to whether anybody reads them. Here

* a read is parsed `SLICE_BYTES` at a time, and the event loop serves other connections between two slices. Reading is
  paused while bytes wait to be parsed, or while the queue of messages is full, so a peer that sends faster than its
  frames are handled fills its own socket and nothing else;
* every path that writes ends in `BoundedConnection.send_data` or `check_unsent`, and a connection with more than
  `MAX_UNSENT_BYTES` unsent is aborted;
* `fail` ends a connection by force: what the peer still sends is thrown away unparsed, and the socket is closed after
  `FAIL_SECONDS` even if the peer never answers.
"""

from collections import Counter
from typing import Any, ClassVar, Final, cast

from websockets.asyncio.server import ServerConnection
from websockets.protocol import State

from evilpegs_server.matches.counts import EndReason

SLICE_BYTES: Final = 1024
"""The number of bytes that are parsed at once: at most 170 empty frames, which take 1 to 2 milliseconds."""
MAX_UNSENT_BYTES: Final = 1 << 20
"""The number of bytes that may wait for a slow client before it is disconnected."""
MAX_DISCARDED_BYTES: Final = 1 << 18
"""The number of bytes that a peer may send after its connection was ended by force, before it is cut off."""
FAIL_SECONDS: Final = 2.0
"""The time in which a peer can close a connection that was ended by force."""


class BoundedConnection(ServerConnection):
    """A connection that parses a little at a time and holds a bounded number of unsent bytes."""

    slice_bytes: ClassVar[int] = SLICE_BYTES
    max_unsent_bytes: ClassVar[int] = MAX_UNSENT_BYTES

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._unparsed = bytearray()
        self._slice_is_due = False
        self._queue_is_full = False
        self._end_is_noted = False
        self.ended: Counter[EndReason] = Counter()
        """The counts of ended connections, which the gateway replaces by those of the server."""
        self._discarded: int | None = None
        """The number of bytes thrown away since the connection was ended by force; None before that."""

    @property
    def is_failed(self) -> bool:
        """True if what the peer sends is thrown away."""
        return self._discarded is not None

    @property
    def is_ending(self) -> bool:
        """True if the peer is gone, or the connection was ended by force: what it asked for is of no use any more."""
        return self.is_failed or self.transport.is_closing()

    def connection_made(self, transport: Any) -> None:
        """Begin the connection; a full queue of messages pauses parsing and reading."""
        super().connection_made(transport)
        self.recv_messages.pause = self._pause_parsing
        self.recv_messages.resume = self._resume_parsing

    def connection_lost(self, exc: Exception | None) -> None:
        """End the connection; what was not parsed is lost."""
        self._unparsed.clear()
        super().connection_lost(exc)
        self._break_cycles()

    def data_received(self, data: bytes) -> None:
        """Parse what was read, in slices if it is long."""
        if self._discarded is not None:
            self._count_discarded(data)
        elif self._unparsed or len(data) > self.slice_bytes or self._queue_is_full:
            self._unparsed += data
            if not self._slice_is_due:
                self._parse_slice()
        else:
            self._parse(data)

    def eof_received(self) -> None:
        """Handle the end of the stream; what was not parsed is lost."""
        self._unparsed.clear()
        super().eof_received()

    def send_data(self) -> None:
        """Write the frames of the protocol, such as pongs, if there are any."""
        if self.protocol.writes:
            super().send_data()
            self.check_unsent()

    def check_unsent(self) -> None:
        """Abort the connection if too many bytes wait for the peer to read them."""
        if self.transport.get_write_buffer_size() > self.max_unsent_bytes:
            self.note_end(EndReason.UNSENT)
            self.transport.abort()

    def note_end(self, reason: EndReason) -> None:
        """Count a connection that the server ends, once."""
        if not self._end_is_noted:
            self._end_is_noted = True
            self.ended[reason] += 1

    def fail(self, code: int, reason: str) -> None:
        """Send a close frame, and end the connection without reading on. Later calls change nothing."""
        if self._discarded is not None or self.transport.is_closing():
            return
        if self.protocol.state is State.CONNECTING:
            self.transport.abort()
            return
        self.protocol.fail(code, reason)
        self.send_data()
        self._discard_rest()

    def _break_cycles(self) -> None:
        """Drop the references by which the library's objects reach each other, so that all is freed at once.

        Otherwise every closed connection, with the matches it names, waits for a full garbage collection. These are
        rare, because they stall the event loop (measured: 6 MiB more per minute at 450 connections per minute).
        """
        self.recv_messages.pause = self.recv_messages.resume = _do_nothing
        protocol = cast("Any", self.protocol)
        protocol.parser.close()
        protocol.select_subprotocol = None

    def _parse(self, data: bytes) -> None:
        super().data_received(data)
        if self.protocol.eof_sent and self._discarded is None:
            self._discard_rest()

    def _discard_rest(self) -> None:
        """Throw away what the peer sends from now on, and give it a short time to close the connection."""
        self._discarded = 0
        self._unparsed.clear()
        self.loop.call_later(FAIL_SECONDS, self.transport.abort)
        self._update_reading()  # or the end of the stream would not be noticed

    def _count_discarded(self, data: bytes) -> None:
        self._discarded = (self._discarded or 0) + len(data)
        if self._discarded > MAX_DISCARDED_BYTES:
            self.transport.abort()

    def _parse_slice(self) -> None:
        self._slice_is_due = False
        if self._queue_is_full or not self._unparsed or self.transport.is_closing():
            self._update_reading()
            return
        data = bytes(self._unparsed[: self.slice_bytes])
        del self._unparsed[: self.slice_bytes]
        self._parse(data)
        self._continue_parsing()

    def _continue_parsing(self) -> None:
        """Parse the next slice after other connections were served, and read only if there is none."""
        if self._unparsed and not self._queue_is_full and not self._slice_is_due:
            self._slice_is_due = True
            self.loop.call_soon(self._parse_slice)
        self._update_reading()

    def _pause_parsing(self) -> None:
        self._queue_is_full = True
        self._update_reading()

    def _resume_parsing(self) -> None:
        self._queue_is_full = False
        self._continue_parsing()

    def _update_reading(self) -> None:
        transport = cast("Any", self.transport)
        if transport.is_closing():
            return
        if self._discarded is None and (self._unparsed or self._queue_is_full):
            transport.pause_reading()
        else:
            transport.resume_reading()


def _do_nothing() -> None:
    pass
