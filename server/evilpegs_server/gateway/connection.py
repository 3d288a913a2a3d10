"""WebSocket connections that note when bytes arrive, limit the rate of frames, and handle guesses without a queue."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Event, State

from evilpegs_server.gateway.admitted_connection import AdmittedConnection
from evilpegs_server.gateway.rate_limit import RateLimit
from evilpegs_server.play.counts import RATE_LIMIT, EndReason
from evilpegs_server.play.stall_free_clock import StallFreeClock

# A ping, pong or continuation frame beyond the rate limit cannot be answered with an error. It counts as this many
# refusals: a flood soon ends the connection, while a single ping of a client that sends too many messages does not.
FRAME_REFUSALS: Final = 10
_FIRST_OPCODES: Final = (Opcode.TEXT, Opcode.BINARY)


class StampedConnection(AdmittedConnection):
    """A connection that notes when messages arrive, and limits the rate of frames.

    A text message is offered to ``handle_now``, which returns True if it has handled it; all others go into the queue.
    """

    clock: StallFreeClock
    rate: RateLimit
    arrived: float = 0.0
    handle_now: Callable[[str, float], bool] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # first the message that `recv` returned last, until its handler removes the time, then those in the queue
        self.arrivals: deque[float] = deque()

    def data_received(self, data: bytes) -> None:
        self.arrived = self.clock.now()
        super().data_received(data)

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
        if frame.opcode is Opcode.PONG:
            return bytes(frame.data) not in self.pending_pings
        return frame.opcode is not Opcode.CLOSE

    def _take_token(self) -> None:
        self.rate.take(self.arrived, refusals=FRAME_REFUSALS)
        if self.rate.is_exhausted:
            self.note_end(EndReason.FRAMES)
            limit = f"more than {self.rate.per_second:.0f} per second (limit {RATE_LIMIT})"
            self.fail(1008, f"too many pings or fragments: {limit}")


class SocketChannel:
    """The `ClientChannel` of a WebSocket connection."""

    def __init__(self, connection: StampedConnection, is_over_limit: Callable[[], bool] = lambda: False) -> None:
        self._connection = connection
        self._is_over_limit = is_over_limit
        self._closing: asyncio.Task[None] | None = None

    @property
    def over_limit(self) -> bool:
        return self._is_over_limit()

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
