"""Connections that hold a ticket of admission from their acceptance to their end.

TLS begins only after a connection was counted. The event loop could do the TLS handshake itself, but then a connection
that never finishes its handshake would not be counted.
"""

import asyncio
from typing import Final, cast

from websockets.protocol import State

from evilpegs_server.gateway.admission import Limit, Ticket
from evilpegs_server.gateway.bounded_connection import BoundedConnection
from evilpegs_server.gateway.entrance import Entrance
from evilpegs_server.play.counts import EndReason

TLS_SECONDS: Final = 5.0
CLOSE_SECONDS: Final = 2.0


class AdmittedConnection(BoundedConnection):
    """A connection that is closed if no `hello` comes in time; before acceptance, and if refused, it has no ticket."""

    entrance: Entrance
    ticket: Ticket | None = None
    _accepted: asyncio.Transport
    _is_open = False
    _silence: asyncio.TimerHandle | None = None
    _ending: asyncio.Task[None] | None = None
    _securing: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._accepted = cast(asyncio.Transport, transport)
        self.ticket = self.entrance.admit(self._accepted)
        if self.ticket is None:
            return
        self.await_hello(self.ticket)
        if self.entrance.rules.tls is None:
            self._begin(transport)
        else:
            # uvloop starts to read when this method returns, so that reading cannot be paused here.
            hasty = _EarlyBytes()
            self._accepted.set_protocol(hasty)
            self._securing = self.loop.create_task(self._begin_tls(hasty))

    def await_hello(self, ticket: Ticket) -> None:
        """Start, or restart, the timer that closes the connection if no `hello` comes in time."""
        if self._silence is not None:
            self._silence.cancel()
        self._silence = self.loop.call_later(ticket.hello_ms / 1000, self._end_silence)

    def connection_lost(self, exc: Exception | None) -> None:
        self._release()
        if self._is_open:
            super().connection_lost(exc)

    def close_after_response(self) -> None:
        """Close once the answer to the request is written, so that the connection counts no longer."""
        self.loop.call_soon(self.transport.close)

    def abort_handshake(self) -> None:
        """Abort the connection if its TLS or WebSocket handshake is not finished."""
        if self.ticket is not None and self.protocol.state is State.CONNECTING:
            self._accepted.abort()

    def cut_off(self) -> None:
        """Abort the connection in any state."""
        if self.ticket is not None:
            self._accepted.abort()

    def _begin(self, transport: asyncio.BaseTransport) -> None:
        self._is_open = True
        super().connection_made(transport)

    async def _begin_tls(self, hasty: "_EarlyBytes") -> None:
        # `hasty` has the bytes that the event loop read before TLS could begin; TLS gets them first
        early = _EarlyBytes()
        tls = self.entrance.rules.tls
        assert tls is not None  # noqa: S101 - checked by `connection_made`
        securing = self.loop.create_task(
            self.loop.start_tls(
                self._accepted,
                early,
                tls,
                server_side=True,
                ssl_handshake_timeout=TLS_SECONDS,
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
            self.entrance.release(self.ticket)

    def _end_silence(self) -> None:
        if self.ticket is None or self.ticket.said_hello:
            return
        self.entrance.note_silence(self.ticket)
        self.note_end(EndReason.NO_HELLO)
        if self._is_open and self.protocol.state is State.OPEN:
            met = f" (limit {Limit.BEFORE_HELLO})" if self.ticket.is_crowded else ""
            self._ending = self.loop.create_task(self.close(1008, f"no hello in time{met}"))
        else:
            self._accepted.abort()


# used until TLS begins, and again from the end of the TLS handshake until the WebSocket handshake begins
class _EarlyBytes(asyncio.Protocol):
    def __init__(self) -> None:
        self.received: list[bytes] = []
        self.lost = False

    def data_received(self, data: bytes) -> None:
        self.received.append(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - part of the signature
        self.lost = True
