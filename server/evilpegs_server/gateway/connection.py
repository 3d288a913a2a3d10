"""WebSocket connections: counted from acceptance to end, bounded in work and memory, and quick with guesses.

The library `websockets` parses all bytes of one read before the event loop goes on, up to 256 KiB, which can be 40,000
empty pings. It writes answers to pings even if the peer never reads them. Here

* a read is parsed `SLICE_BYTES` at a time, and the event loop serves other connections between two slices. Reading is
  paused while bytes wait to be parsed, or while the queue of messages is full, so a peer that sends faster than its
  frames are handled fills its own socket and nothing else;
* every path that writes ends in `send_data` or `check_unsent`, and a connection with more than `MAX_UNSENT_BYTES`
  unsent is aborted;
* `fail` ends a connection by force: bytes that the peer still sends are discarded unparsed, and the socket is closed
  after `FAIL_SECONDS` even if the peer never answers;
* a connection that sends no `hello` in time is closed, and TLS begins only after it was counted. The event loop could
  do the TLS handshake itself, but then a connection that never finishes its handshake would not be counted.
"""

import asyncio
import ssl
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from websockets.asyncio.server import ServerConnection
from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Event, State

from evilpegs_server.gateway.admission import Limit, Ticket
from evilpegs_server.gateway.entrance import Entrance
from evilpegs_server.limits import RateLimit
from evilpegs_server.play.counts import RATE_LIMIT, EndReason

# at most 170 empty frames, which take 1 to 2 ms
SLICE_BYTES: Final = 1024
MAX_UNSENT_BYTES: Final = 1 << 20
MAX_DISCARDED_BYTES: Final = 1 << 18
FAIL_SECONDS: Final = 2.0
CLOSE_SECONDS: Final = 2.0
# A ping, pong or continuation frame beyond the rate limit cannot be answered with an error. It counts as this many
# refusals: a flood soon ends the connection, while a single ping of a client that sends too many messages does not.
FRAME_REFUSALS: Final = 10
_FIRST_OPCODES: Final = (Opcode.TEXT, Opcode.BINARY)


class GameConnection(ServerConnection):
    """A connection to the game port; before acceptance, and if refused, it has no ticket."""

    # while there is a session: offered each text message, and True if it has handled it; others go into the queue
    handle_now: Callable[[str, float], bool] | None = None

    ticket: Ticket | None = None
    arrived: float = 0.0
    _accepted: asyncio.Transport
    _is_open = False
    _silence: asyncio.TimerHandle | None = None
    _ending: asyncio.Task[None] | None = None
    _securing: asyncio.Task[None] | None = None

    def __init__(
        self, *args: Any, entrance: Entrance, rate: RateLimit, ended: Counter[EndReason], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.entrance, self.rate = entrance, rate
        self._ended = ended
        # first the message that `recv` returned last, until its handler removes the time, then those in the queue
        self.arrivals: deque[float] = deque()
        self._unparsed = bytearray()
        self._slice_is_due = False
        self._queue_is_full = False
        self._end_is_noted = False
        self.is_failed = False
        """True after an end by force."""
        self._discarded = 0

    # From acceptance to end

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._accepted = cast(asyncio.Transport, transport)
        self.ticket = self.entrance.admit(self._accepted)
        if self.ticket is None:
            return
        self.await_hello(self.ticket)
        tls = self.entrance.tls
        if tls is None:
            self._begin(transport)
        else:
            # uvloop starts to read when this method returns, so that reading cannot be paused here.
            hasty = _EarlyBytes()
            self._accepted.set_protocol(hasty)
            self._securing = self.loop.create_task(self._begin_tls(tls, hasty))

    def await_hello(self, ticket: Ticket) -> None:
        """Start, or restart, the timer that closes the connection if no `hello` comes in time."""
        if self._silence is not None:
            self._silence.cancel()
        self._silence = self.loop.call_later(ticket.hello_ms / 1000, self._end_silence)

    def connection_lost(self, exc: Exception | None) -> None:
        self._release()
        if self._is_open:
            self._unparsed.clear()
            super().connection_lost(exc)
            self._break_cycles()

    async def pause(self, seconds: float) -> None:
        """Wait for ``seconds``, or until the connection has ended."""
        await asyncio.wait([self.connection_lost_waiter], timeout=seconds)

    def cut_off(self) -> None:
        if self.ticket is not None:
            self._accepted.abort()

    @property
    def is_ending(self) -> bool:
        """True if pending requests need no answer any more."""
        return self.is_failed or self.transport.is_closing()

    def note_end(self, reason: EndReason) -> None:
        """Count why the server ended this connection; only the first call counts."""
        if not self._end_is_noted:
            self._end_is_noted = True
            self._ended[reason] += 1

    def fail(self, code: int, reason: str) -> None:
        """End the connection by force: send a close frame and discard everything that the peer still sends."""
        if self.is_failed or self.transport.is_closing():
            return
        if self.protocol.state is State.CONNECTING:
            self.transport.abort()
            return
        self.protocol.fail(code, reason)
        self.send_data()
        self._discard_rest()

    def _begin(self, transport: asyncio.BaseTransport) -> None:
        self._is_open = True
        super().connection_made(transport)
        # a full queue must pause parsing as well as reading
        self.recv_messages.pause = self._pause_parsing
        self.recv_messages.resume = self._resume_parsing

    async def _begin_tls(self, tls: ssl.SSLContext, hasty: "_EarlyBytes") -> None:
        # `hasty` has the bytes that the event loop read before TLS could begin; TLS gets them first
        early = _EarlyBytes()
        securing = self.loop.create_task(
            self.loop.start_tls(
                self._accepted,
                early,
                tls,
                server_side=True,
                ssl_handshake_timeout=self.entrance.tls_seconds,
                ssl_shutdown_timeout=CLOSE_SECONDS,
            )
        )
        # The task first schedules the beginning of TLS and of reading. This call comes right after both.
        self.loop.call_soon(self.loop.call_soon, self._feed, hasty.received)
        try:
            secured = await securing
        except (OSError, RuntimeError):  # an error of ssl, which is an OSError, or the transport was closed before
            secured = None
        if secured is None or early.lost or hasty.lost:
            self._accepted.abort()
            self._release()
            return
        secured.set_protocol(self)
        self._begin(secured)
        if early.received:
            self.data_received(b"".join(early.received))

    def _feed(self, received: list[bytes]) -> None:
        data = b"".join(received)
        tls = cast("asyncio.BufferedProtocol", self._accepted.get_protocol())
        while data and not self._accepted.is_closing():
            buffer = memoryview(tls.get_buffer(len(data)))
            taken = min(len(buffer), len(data))
            buffer[:taken], data = data[:taken], data[taken:]
            tls.buffer_updated(taken)

    def _release(self) -> None:
        if self._silence is not None and self.ticket is not None:
            self._silence.cancel()
            self._silence = None
            self.entrance.admission.close(self.ticket)

    def _end_silence(self) -> None:
        if self.ticket is None or self.ticket.said_hello:
            return
        self.entrance.admission.note_silence(self.ticket, self.entrance.now())
        self.note_end(EndReason.NO_HELLO)
        if self._is_open and self.protocol.state is State.OPEN:
            met = f" (limit {Limit.BEFORE_HELLO})" if self.ticket.is_crowded else ""
            self._ending = self.loop.create_task(self.close(1008, f"no hello in time{met}"))
        else:
            self._accepted.abort()

    def _break_cycles(self) -> None:
        # The library's objects form reference cycles, and full collections are rare, because they stall the event loop:
        # closed connections stayed in memory (measured: 6 MiB more per minute at 450 connections per minute).
        self.recv_messages.pause = self.recv_messages.resume = lambda: None
        protocol = cast("Any", self.protocol)
        protocol.parser.close()
        protocol.select_subprotocol = None

    # What the peer sends

    def data_received(self, data: bytes) -> None:
        self.arrived = self.entrance.now()
        if self.is_failed:
            self._discarded += len(data)
            if self._discarded > MAX_DISCARDED_BYTES:
                self.transport.abort()
        elif self._unparsed or len(data) > SLICE_BYTES or self._queue_is_full:
            self._unparsed += data
            if not self._slice_is_due:
                self._parse_slice()
        else:
            self._parse(data)

    def eof_received(self) -> None:
        self._unparsed.clear()
        super().eof_received()

    def process_event(self, event: Event) -> None:
        if isinstance(event, Frame):
            if self.is_failed:
                return
            # A queue and a task for each guess would take 10 % more of the event loop's time.
            if self._is_handled_now(event):
                return
            if event.opcode in _FIRST_OPCODES:
                self.arrivals.append(self.arrived)
            elif self._has_price(event):
                if event.opcode is Opcode.CONT:
                    self.arrivals[-1] = self.arrived  # a message arrives with its last frame
                self._take_token()
        super().process_event(event)

    def _is_handled_now(self, frame: Frame) -> bool:
        # not while earlier messages wait, so that all keep their order
        if self.handle_now is None or self.arrivals or self.protocol.state is not State.OPEN:
            return False
        if frame.opcode is not Opcode.TEXT or not frame.fin:
            return False
        try:
            text = bytes(frame.data).decode()
        except UnicodeDecodeError:
            return False  # the library ends the connection
        return self.handle_now(text, self.arrived)

    def _has_price(self, frame: Frame) -> bool:
        is_awaited = frame.opcode is Opcode.PONG and bytes(frame.data) in self.pending_pings
        return not is_awaited and frame.opcode is not Opcode.CLOSE

    def _take_token(self) -> None:
        self.rate.take(self.arrived, refusals=FRAME_REFUSALS)
        if self.rate.is_exhausted:
            self.note_end(EndReason.FRAMES)
            limit = f"more than {self.rate.per_second:.0f} per second (limit {RATE_LIMIT})"
            self.fail(1008, f"too many pings or fragments: {limit}")

    def _parse(self, data: bytes) -> None:
        super().data_received(data)
        if self.protocol.eof_sent and not self.is_failed:
            self._discard_rest()

    def _discard_rest(self) -> None:
        self.is_failed = True
        self._unparsed.clear()
        self.loop.call_later(FAIL_SECONDS, self.transport.abort)
        self._update_reading()  # or the end of the stream would not be noticed

    def _parse_slice(self) -> None:
        self._slice_is_due = False
        if self._queue_is_full or not self._unparsed or self.transport.is_closing():
            self._update_reading()
            return
        data = bytes(self._unparsed[:SLICE_BYTES])
        del self._unparsed[:SLICE_BYTES]
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
        if not self.is_failed and (self._unparsed or self._queue_is_full):
            transport.pause_reading()
        else:
            transport.resume_reading()

    # What the peer gets

    def send_data(self) -> None:
        if self.protocol.writes:
            super().send_data()
            self.check_unsent()

    def check_unsent(self) -> None:
        if self.transport.get_write_buffer_size() > MAX_UNSENT_BYTES:
            self.note_end(EndReason.UNSENT)
            self.transport.abort()


class SocketChannel:
    """The `ClientChannel` of a WebSocket connection."""

    def __init__(self, connection: GameConnection, is_over_limit: Callable[[], bool]) -> None:
        self._connection = connection
        self.is_over_limit = is_over_limit
        self._closing: asyncio.Task[None] | None = None

    def send(self, texts: Sequence[str]) -> None:
        protocol, transport = self._connection.protocol, self._connection.transport
        if protocol.state is not State.OPEN or transport.is_closing():
            return
        # framed here and written at once: 9 % less of the loop's time per guess (bench.server.throughput)
        transport.write(b"".join(map(text_frame, texts)))
        self._connection.check_unsent()

    def close(self, code: int, reason: str) -> None:
        """Begin to close the connection; with the code 1008, nothing that the client still sends is read."""
        if code == CloseCode.POLICY_VIOLATION:
            self._connection.fail(code, reason)
        elif self._closing is None:  # the task is kept so that it is not collected
            self._closing = asyncio.ensure_future(self._connection.close(code, reason))


def text_frame(text: str) -> bytes:
    """Return the bytes that `websockets.frames.Frame.serialize` returns for a whole text message without extensions."""
    payload = text.encode()
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2) + payload
    return b"\x81\x7f" + size.to_bytes(8) + payload


# used until TLS begins, and again from the end of the TLS handshake until the WebSocket handshake begins
class _EarlyBytes(asyncio.Protocol):
    def __init__(self) -> None:
        self.received: list[bytes] = []
        self.lost = False

    def data_received(self, data: bytes) -> None:
        self.received.append(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - part of the signature
        self.lost = True
