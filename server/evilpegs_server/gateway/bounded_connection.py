"""WebSocket connections that bound the work and the memory that one peer can cause.

The library `websockets` parses all bytes of one read before the event loop goes on, up to 256 KiB, which can be 40,000
empty pings. It writes answers to pings even if the peer never reads them. Here

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

from evilpegs_server.play.counts import EndReason

# at most 170 empty frames, which take 1 to 2 ms
SLICE_BYTES: Final = 1024
MAX_UNSENT_BYTES: Final = 1 << 20
MAX_DISCARDED_BYTES: Final = 1 << 18
FAIL_SECONDS: Final = 2.0


class BoundedConnection(ServerConnection):
    slice_bytes: ClassVar[int] = SLICE_BYTES
    max_unsent_bytes: ClassVar[int] = MAX_UNSENT_BYTES

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._unparsed = bytearray()
        self._slice_is_due = False
        self._queue_is_full = False
        self._end_is_noted = False
        self.ended: Counter[EndReason] = Counter()  # the gateway sets the server's counter
        self._discarded: int | None = None  # until the end by force

    @property
    def is_failed(self) -> bool:
        """True after an end by force."""
        return self._discarded is not None

    @property
    def is_ending(self) -> bool:
        """True if pending requests need no answer any more."""
        return self.is_failed or self.transport.is_closing()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        # a full queue must pause parsing as well as reading
        self.recv_messages.pause = self._pause_parsing
        self.recv_messages.resume = self._resume_parsing

    def connection_lost(self, exc: Exception | None) -> None:
        self._unparsed.clear()
        super().connection_lost(exc)
        self._break_cycles()

    def data_received(self, data: bytes) -> None:
        if self._discarded is not None:
            self._count_discarded(data)
        elif self._unparsed or len(data) > self.slice_bytes or self._queue_is_full:
            self._unparsed += data
            if not self._slice_is_due:
                self._parse_slice()
        else:
            self._parse(data)

    def eof_received(self) -> None:
        self._unparsed.clear()
        super().eof_received()

    def send_data(self) -> None:
        if self.protocol.writes:
            super().send_data()
            self.check_unsent()

    def check_unsent(self) -> None:
        if self.transport.get_write_buffer_size() > self.max_unsent_bytes:
            self.note_end(EndReason.UNSENT)
            self.transport.abort()

    def note_end(self, reason: EndReason) -> None:
        """Count why the server ended this connection; only the first call counts."""
        if not self._end_is_noted:
            self._end_is_noted = True
            self.ended[reason] += 1

    def fail(self, code: int, reason: str) -> None:
        """End the connection by force: send a close frame and discard everything that the peer still sends."""
        if self._discarded is not None or self.transport.is_closing():
            return
        if self.protocol.state is State.CONNECTING:
            self.transport.abort()
            return
        self.protocol.fail(code, reason)
        self.send_data()
        self._discard_rest()

    def _break_cycles(self) -> None:
        # The library's objects form reference cycles, and full collections are rare, because they stall the event loop:
        # closed connections stayed in memory (measured: 6 MiB more per minute at 450 connections per minute).
        self.recv_messages.pause = self.recv_messages.resume = _do_nothing
        protocol = cast("Any", self.protocol)
        protocol.parser.close()
        protocol.select_subprotocol = None

    def _parse(self, data: bytes) -> None:
        super().data_received(data)
        if self.protocol.eof_sent and self._discarded is None:
            self._discard_rest()

    def _discard_rest(self) -> None:
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
