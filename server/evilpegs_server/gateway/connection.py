"""WebSocket connections that note when bytes arrive, limit the rate of frames, and take the fast path of a guess."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Event, State

from evilpegs_server.fast_path import handle_early, write_texts
from evilpegs_server.gateway.admitted_connection import AdmittedConnection
from evilpegs_server.gateway.rate_limit import RateLimit
from evilpegs_server.matches.counts import EndReason
from evilpegs_server.matches.stall_free_clock import StallFreeClock

FRAME_REFUSALS: Final = 10
"""The number of refusals as which a frame counts that exceeds the budget and is no message."""
_FIRST_OPCODES: Final = (Opcode.TEXT, Opcode.BINARY)
"""The opcodes that begin a message."""


class StampedConnection(AdmittedConnection):
    """A connection that notes when bytes arrive, before they are parsed, and that limits the rate of frames.

    Each complete text is offered to ``handle_now`` as soon as it is read, and goes into the queue for `recv` only if
    ``handle_now`` returns False. Messages keep their order: none is offered while earlier ones are ``unread``.

    Pings, pongs that nobody asked for and continuation frames take tokens from ``rate``, as the messages do that the
    session answers. No answer could say that there are too many, so each frame beyond the budget counts as ten
    refusals: a flood soon ends its connection, and a single ping beside too many messages does not.
    """

    clock: StallFreeClock
    rate: RateLimit
    arrived: float = 0.0
    handle_now: Callable[[str, float], bool] | None = None
    unread: int = 0

    def data_received(self, data: bytes) -> None:
        """Note the time of arrival and pass the bytes on."""
        self.arrived = self.clock.now()
        super().data_received(data)

    def process_event(self, event: Event) -> None:
        """Handle a text at once if possible; else queue it, and count the messages that wait to be read."""
        if isinstance(event, Frame):
            if self.is_failed:
                return
            if event.opcode in _FIRST_OPCODES:
                if not self.unread and handle_early(event, self._handle):
                    return
                self.unread += 1
            elif self._has_price(event):
                self._take_token()
        super().process_event(event)

    def _handle(self, text: str) -> bool:
        return self.handle_now is not None and self.handle_now(text, self.arrived)

    def _has_price(self, frame: Frame) -> bool:
        """Return False for the end of the connection, and for the answer to a ping of this server."""
        if frame.opcode is Opcode.PONG:
            return bytes(frame.data) not in self.pending_pings
        return frame.opcode is not Opcode.CLOSE

    def _take_token(self) -> None:
        self.rate.take(self.arrived, refusals=FRAME_REFUSALS)
        if self.rate.is_exhausted:
            self.note_end(EndReason.FRAMES)
            self.fail(1008, "too many frames")


class SocketChannel:
    """The `ClientChannel` of a WebSocket connection."""

    def __init__(self, connection: StampedConnection, is_over_limit: Callable[[], bool] = lambda: False) -> None:
        self._connection = connection
        self._is_over_limit = is_over_limit
        self._closing: asyncio.Task[None] | None = None

    @property
    def over_limit(self) -> bool:
        """True if the address of the client exceeded a limit in the last few seconds."""
        return self._is_over_limit()

    def send(self, texts: Sequence[str]) -> None:
        """Write the messages to the socket at once. A client that does not read is disconnected."""
        protocol, transport = self._connection.protocol, self._connection.transport
        if protocol.state is not State.OPEN or transport.is_closing():
            return
        write_texts(self._connection, texts)
        self._connection.check_unsent()

    def close(self, code: int, reason: str) -> None:
        """Begin to close the connection. A client that broke the rules (1008) is not listened to any more."""
        if code == CloseCode.POLICY_VIOLATION:
            self._connection.fail(code, reason)
        elif self._closing is None:  # the task is kept so that it is not collected
            self._closing = asyncio.ensure_future(self._connection.close(code, reason))
