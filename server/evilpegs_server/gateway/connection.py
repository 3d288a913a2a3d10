"""WebSocket connections that note when bytes arrive, limit the rate of frames, and handle guesses without a queue."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Event, State

from evilpegs_server.fast_path import whole_text, write_texts
from evilpegs_server.gateway.admitted_connection import AdmittedConnection
from evilpegs_server.gateway.rate_limit import RateLimit
from evilpegs_server.matches.counts import RATE_LIMIT, EndReason
from evilpegs_server.matches.stall_free_clock import StallFreeClock

FRAME_REFUSALS: Final = 10
"""The number of refusals that a ping, pong or continuation frame beyond the rate limit counts as."""
_FIRST_OPCODES: Final = (Opcode.TEXT, Opcode.BINARY)
"""The opcodes that begin a message."""


class StampedConnection(AdmittedConnection):
    """A connection that notes when bytes arrive, before they are parsed, and that limits the rate of frames.

    Times are in milliseconds of ``clock``. ``arrived`` is the time of the latest bytes. ``arrivals`` has the times of
    arrival of the messages that are not handled yet. The first time is that of the message that `recv` returned last,
    until its handler removes the time; the others are those of the messages in the queue for `recv`.

    A text message that is read alone and as a whole is offered to ``handle_now``, which is called with the text and its
    time of arrival, and returns True if it has handled the message. Otherwise the message goes into the queue. Messages
    are not offered while earlier ones are in the queue or being handled, so that they keep their order.

    Pings, unrequested pongs and continuation frames take tokens from the rate limit ``rate``, as messages do. These
    frames cannot be answered with an error, so each one beyond the limit counts as ten refusals: a flood of them soon
    ends the connection, while a single ping of a client that sends too many messages does not.
    """

    clock: StallFreeClock
    rate: RateLimit
    arrived: float = 0.0
    handle_now: Callable[[str, float], bool] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.arrivals: deque[float] = deque()

    def data_received(self, data: bytes) -> None:
        """Note the time of arrival in ``arrived``, then parse the bytes."""
        self.arrived = self.clock.now()
        super().data_received(data)

    def process_event(self, event: Event) -> None:
        """Queue the message in a frame and note its time of arrival; take a token from the rate limit for other frames.

        A message of several frames arrives with its last frame. All frames are dropped after an end by force.
        """
        if isinstance(event, Frame):
            if self.is_failed:
                return
            if event.opcode in _FIRST_OPCODES:
                self.arrivals.append(self.arrived)
            elif self._has_price(event):
                if event.opcode is Opcode.CONT:
                    self.arrivals[-1] = self.arrived
                self._take_token()
        super().process_event(event)

    def _parse(self, data: bytes) -> None:
        if self.handle_now is not None and not self.arrivals:
            text = whole_text(data, self.protocol)
            if text is not None and self.handle_now(text, self.arrived):
                return
        super()._parse(data)

    def _has_price(self, frame: Frame) -> bool:
        """Return True if ``frame``, which does not begin a message, takes a token from the rate limit.

        Close frames, and pongs that answer a ping of this server, take none.
        """
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
    """The `ClientChannel` through which a match sends messages to a WebSocket connection.

    ``is_over_limit`` returns True if the address of the client exceeded a limit in the last few seconds.
    """

    def __init__(self, connection: StampedConnection, is_over_limit: Callable[[], bool] = lambda: False) -> None:
        self._connection = connection
        self._is_over_limit = is_over_limit
        self._closing: asyncio.Task[None] | None = None

    @property
    def over_limit(self) -> bool:
        """True if the address of the client exceeded a limit in the last few seconds."""
        return self._is_over_limit()

    def send(self, texts: Sequence[str]) -> None:
        """Write each of ``texts`` as a message to the socket at once; abort a connection with too many unsent bytes.

        Nothing is written if the connection is closing or closed.
        """
        protocol, transport = self._connection.protocol, self._connection.transport
        if protocol.state is not State.OPEN or transport.is_closing():
            return
        write_texts(self._connection, texts)
        self._connection.check_unsent()

    def close(self, code: int, reason: str) -> None:
        """Begin to close the connection with the WebSocket close ``code`` and ``reason``.

        With the code 1008, nothing that the client still sends is read.
        """
        if code == CloseCode.POLICY_VIOLATION:
            self._connection.fail(code, reason)
        elif self._closing is None:  # the task is kept so that it is not collected
            self._closing = asyncio.ensure_future(self._connection.close(code, reason))
