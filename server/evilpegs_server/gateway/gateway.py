"""The WebSocket server: accepts connections, reads their frames, and writes what they are sent."""

import asyncio
import http
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final
from weakref import WeakSet

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed, NegotiationError
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import Event, State
from websockets.typing import Subprotocol

from evilpegs_protocol.limits import PATH, SUBPROTOCOL
from evilpegs_server.gateway.login import SessionServices
from evilpegs_server.gateway.session import Session
from evilpegs_server.matches.stall_free_clock import StallFreeClock

MAX_FRAME_BYTES: Final = 1 << 16
"""A longer frame ends the connection; one over the protocol's limit only brings an error."""
MAX_UNSENT_BYTES: Final = 1 << 20
"""Bytes that may wait for a slow reader before he is dropped."""
HELLO_SECONDS: Final = 10.0
"""How long a connection may stay silent before its hello."""


class StampedConnection(ServerConnection):
    """A connection that notes when bytes arrive, before anything is parsed.

    Each complete text is offered to ``handle_now`` as soon as it is read, and goes into the queue for `recv` only if
    ``handle_now`` returns False. Messages keep their order: none is offered while earlier ones are ``unread``.
    """

    clock: StallFreeClock
    arrived: float = 0.0
    handle_now: Callable[[str, float], bool] | None = None
    unread: int = 0

    def data_received(self, data: bytes) -> None:
        """Stamp and pass on."""
        self.arrived = self.clock.now()
        super().data_received(data)

    def process_event(self, event: Event) -> None:
        """Take what can be taken at once; count what begins a message and waits to be read."""
        if isinstance(event, Frame) and event.opcode in _FIRST_OPCODES:
            if not self.unread and self._try_now(event):
                return
            self.unread += 1
        super().process_event(event)

    def _try_now(self, frame: Frame) -> bool:
        if self.handle_now is None or frame.opcode is not Opcode.TEXT or not frame.fin:
            return False
        try:
            text = str(frame.data, "utf-8")
        except UnicodeDecodeError:
            return False
        return self.handle_now(text, self.arrived)


_FIRST_OPCODES: Final = (Opcode.TEXT, Opcode.BINARY)


def text_frame(text: str) -> bytes:
    """A text as one frame of a server, as `Frame.serialize` makes it where no extension is in use."""
    payload = text.encode()
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2) + payload
    return b"\x81\x7f" + size.to_bytes(8) + payload


class SocketChannel:
    """The `ClientChannel` of a WebSocket connection."""

    def __init__(self, connection: StampedConnection) -> None:
        self._connection = connection
        self._closing: asyncio.Task[None] | None = None

    def send(self, texts: Sequence[str]) -> None:
        """Hand the messages over in one write. A reader who does not read is dropped."""
        protocol, transport = self._connection.protocol, self._connection.transport
        if protocol.state is not State.OPEN or transport.is_closing():
            return
        transport.write(b"".join(map(text_frame, texts)))
        if transport.get_write_buffer_size() > MAX_UNSENT_BYTES:
            transport.abort()

    def close(self, code: int, reason: str) -> None:
        """Begin to close; the task is kept so that it is not collected."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._connection.close(code, reason))


class Gateway:
    """Listens on one address and gives every connection a session."""

    def __init__(self, services: SessionServices, clock: StallFreeClock, max_connections: int) -> None:
        self._services = services
        self._clock = clock
        self._max_connections = max_connections
        self._server: Server | None = None
        self._channels: set[SocketChannel] = set()
        self._accepted: WeakSet[StampedConnection] = WeakSet()

    async def open(self, host: str, port: int) -> tuple[str, int]:
        """Begin to listen; the address that was bound. Raises OSError."""
        self._server = await serve(
            self._run_session,
            host,
            port,
            create_connection=self._make_connection,  # type: ignore[arg-type]
            process_request=self._check_path_and_load,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            select_subprotocol=_select_subprotocol,
            compression=None,
            max_size=MAX_FRAME_BYTES,
            max_queue=16,
            close_timeout=2,
            server_header=None,
        )
        address = next(iter(self._server.sockets)).getsockname()
        return address[0], address[1]

    def broadcast(self, text: str) -> None:
        """Send to every connection."""
        for channel in self._channels:
            channel.send([text])

    async def close(self, code: int, reason: str) -> None:
        """Close every connection and stop listening."""
        if self._server is not None:
            self._server.close(code=code, reason=reason)
            for connection in self._accepted:
                if connection.protocol.state is State.CONNECTING:
                    connection.transport.abort()  # its handshake would be waited for
            await self._server.wait_closed()

    def _make_connection(self, *args: Any, **kwargs: Any) -> StampedConnection:
        connection = StampedConnection(*args, **kwargs)
        connection.clock = self._clock
        self._accepted.add(connection)
        return connection

    def _check_path_and_load(self, connection: ServerConnection, request: Request) -> Response | None:
        if request.path.split("?")[0] != PATH:
            return connection.respond(http.HTTPStatus.NOT_FOUND, f"The game is at {PATH}.\n")
        if len(self._channels) >= self._max_connections:
            return connection.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, "Too many connections; come back later.\n")
        return None

    async def _run_session(self, connection: ServerConnection) -> None:
        assert isinstance(connection, StampedConnection)  # noqa: S101 - made by `_make_connection`
        channel = SocketChannel(connection)
        session = Session(self._services, channel, self._clock.now())
        silence = connection.loop.call_later(HELLO_SECONDS, self._close_if_silent, session, channel)
        self._channels.add(channel)
        connection.handle_now = session.try_guess
        try:
            with suppress(ConnectionClosed):
                while True:
                    frame = await connection.recv()
                    await session.handle_frame(frame, connection.arrived)
                    connection.unread -= 1
        finally:
            connection.handle_now = None
            silence.cancel()
            self._channels.discard(channel)
            session.leave()

    def _close_if_silent(self, session: Session, channel: SocketChannel) -> None:
        if session.player is None:
            channel.close(1008, "no hello")


def _select_subprotocol(_connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Naming none means version 1; naming only others is refused."""
    if not offered:
        return None
    if SUBPROTOCOL not in offered:
        message = f"this server speaks {SUBPROTOCOL}"
        raise NegotiationError(message)
    return Subprotocol(SUBPROTOCOL)
