"""WebSocket connections that bound the work and the memory that one peer can cause.

The connections of the library `websockets` have two weaknesses. All bytes of one read, up to 256 KiB, are parsed before
the event loop goes on, and 256 KiB can be 40,000 empty pings. Answers to pings are written even if the peer never reads
them. In this module

* a read is parsed `SLICE_BYTES` at a time, and the event loop serves other connections between two slices. Reading is
  paused while bytes wait to be parsed, or while the queue of messages is full, so a peer that sends faster than its
  frames are handled fills its own socket and nothing else;
* every path that writes ends in `BoundedConnection.send_data` or `check_unsent`, and a connection with more than
  `MAX_UNSENT_BYTES` unsent is aborted;
* `fail` ends a connection by force: bytes that the peer still sends are discarded unparsed, and the socket is closed
  after `FAIL_SECONDS` even if the peer never answers.
"""

from collections import Counter
from typing import Any, ClassVar, Final, cast

from websockets.asyncio.server import ServerConnection
from websockets.protocol import State

from evilpegs_server.matches.counts import EndReason

SLICE_BYTES: Final = 1024
"""The number of bytes that are parsed at once: at most 170 empty frames, which take 1 to 2 milliseconds."""
MAX_UNSENT_BYTES: Final = 1 << 20
"""The number of unsent bytes beyond which a slow client is disconnected."""
MAX_DISCARDED_BYTES: Final = 1 << 18
"""The number of discarded bytes beyond which a connection that was ended by force is aborted."""
FAIL_SECONDS: Final = 2.0
"""The seconds that a peer has to close a connection that was ended by force."""


class BoundedConnection(ServerConnection):
    """A WebSocket connection that parses at most ``slice_bytes`` at a time.

    It is aborted if more than ``max_unsent_bytes`` wait for the peer to read them.
    """

    slice_bytes: ClassVar[int] = SLICE_BYTES
    max_unsent_bytes: ClassVar[int] = MAX_UNSENT_BYTES

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._unparsed = bytearray()
        self._slice_is_due = False
        self._queue_is_full = False
        self._end_is_noted = False
        self.ended: Counter[EndReason] = Counter()
        """The counter of connections that the server ended, by reason. The gateway sets it to the server's counter."""
        self._discarded: int | None = None
        """The number of bytes discarded since the connection was ended by force; None before that."""

    @property
    def is_failed(self) -> bool:
        """True if the connection was ended by force, so that everything the peer sends is discarded."""
        return self._discarded is not None

    @property
    def is_ending(self) -> bool:
        """True if the connection is closing or was ended by force, so that pending requests need no answer."""
        return self.is_failed or self.transport.is_closing()

    def connection_made(self, transport: Any) -> None:
        """Begin the connection. From now on, a full queue of received messages pauses parsing and reading."""
        super().connection_made(transport)
        self.recv_messages.pause = self._pause_parsing
        self.recv_messages.resume = self._resume_parsing

    def connection_lost(self, exc: Exception | None) -> None:
        """End the connection and discard the bytes that were not parsed."""
        self._unparsed.clear()
        super().connection_lost(exc)
        self._break_cycles()

    def data_received(self, data: bytes) -> None:
        """Parse the received bytes, in slices if there are many; after an end by force, discard the bytes instead."""
        if self._discarded is not None:
            self._count_discarded(data)
        elif self._unparsed or len(data) > self.slice_bytes or self._queue_is_full:
            self._unparsed += data
            if not self._slice_is_due:
                self._parse_slice()
        else:
            self._parse(data)

    def eof_received(self) -> None:
        """Handle the end of the stream and discard the bytes that were not parsed."""
        self._unparsed.clear()
        super().eof_received()

    def send_data(self) -> None:
        """Write pending frames, such as the answers to pings, and abort the connection if too many bytes are unsent."""
        if self.protocol.writes:
            super().send_data()
            self.check_unsent()

    def check_unsent(self) -> None:
        """Abort the connection if more than ``max_unsent_bytes`` wait for the peer to read them."""
        if self.transport.get_write_buffer_size() > self.max_unsent_bytes:
            self.note_end(EndReason.UNSENT)
            self.transport.abort()

    def note_end(self, reason: EndReason) -> None:
        """Count this connection as ended by the server for ``reason``. Only the first call counts."""
        if not self._end_is_noted:
            self._end_is_noted = True
            self.ended[reason] += 1

    def fail(self, code: int, reason: str) -> None:
        """End the connection by force: send a close frame and discard everything that the peer still sends.

        The close frame has the WebSocket close ``code`` and ``reason``. A connection whose handshake is not finished is
        aborted instead. Later calls change nothing.
        """
        if self._discarded is not None or self.transport.is_closing():
            return
        if self.protocol.state is State.CONNECTING:
            self.transport.abort()
            return
        self.protocol.fail(code, reason)
        self.send_data()
        self._discard_rest()

    def _break_cycles(self) -> None:
        """Drop the reference cycles among the library's objects, so that their memory is freed at once.

        Otherwise each closed connection would stay in memory until a full garbage collection (measured: 6 MiB more per
        minute at 450 connections per minute). Full collections are rare, because they stall the event loop.
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
        """Discard everything that the peer sends from now on, and abort the connection after `FAIL_SECONDS`."""
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
        """Schedule the next slice after the other connections' turn; resume reading if no bytes wait to be parsed."""
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
