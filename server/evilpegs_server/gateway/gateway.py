"""The gateway: a WebSocket server that gives every connection a session."""

import asyncio
import http
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final
from weakref import WeakSet

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed, NegotiationError
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.typing import Subprotocol

from evilpegs_protocol.limits import PATH, SUBPROTOCOL
from evilpegs_server.gateway.connection import SocketChannel, StampedConnection
from evilpegs_server.gateway.login import SessionServices
from evilpegs_server.gateway.rate_limit import RateLimit, RecentExcess
from evilpegs_server.gateway.session import Session
from evilpegs_server.hosts import AllowedHosts, SiteAddress
from evilpegs_server.matches.stall_free_clock import StallFreeClock

MAX_FRAME_BYTES: Final = 1 << 16
"""The longest frame. A longer one ends the connection; one over the protocol's limit only causes an error."""
HELLO_SECONDS: Final = 10.0
"""The time in which a connection must say hello."""
_CUT_OFF_SECONDS: Final = 0.5
"""The time that connections take to end after they were cut off."""
_PLAIN_PATH: Final = re.compile(r"/[A-Za-z0-9._~%/?&=+,:-]{0,2000}")
"""The paths and queries that a redirection repeats."""


class Gateway:
    """A listener on one address, with a session for every connection."""

    def __init__(
        self,
        services: SessionServices,
        clock: StallFreeClock,
        max_connections: int,
        hosts: AllowedHosts,
        site: SiteAddress | None,
    ) -> None:
        self._services = services
        self._clock = clock
        self._max_connections = max_connections
        self._hosts = hosts
        self._site = site
        self._server: Server | None = None
        self._closing = False
        self._channels: set[SocketChannel] = set()
        self._excess = RecentExcess()
        self._accepted: WeakSet[StampedConnection] = WeakSet()

    async def open(self, host: str, port: int) -> tuple[str, int]:
        """Begin to listen and return the host and port that were bound. Raises OSError."""
        self._server = await serve(
            self._run_session,
            host,
            port,
            create_connection=self._make_connection,  # type: ignore[arg-type]
            process_request=self._handshake_refusal,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            select_subprotocol=_select_subprotocol,
            compression=None,
            max_size=MAX_FRAME_BYTES,
            max_queue=16,
            close_timeout=1,
            server_header=None,
        )
        address = next(iter(self._server.sockets)).getsockname()
        return address[0], address[1]

    def broadcast(self, text: str) -> None:
        """Send a text to every connection."""
        for channel in self._channels:
            channel.send([text])

    async def close(self, code: int, reason: str, seconds: float) -> None:
        """Close every connection and stop listening. After ``seconds`` cut off the clients that do not close theirs."""
        self._closing = True
        if self._server is not None:
            self._server.close(code=code, reason=reason)
            for connection in self._accepted:
                if connection.protocol.state is State.CONNECTING:
                    connection.transport.abort()  # or closing would wait for its handshake
            closed = asyncio.ensure_future(self._server.wait_closed())
            await asyncio.wait([closed], timeout=seconds)
            if not closed.done():
                self._cut_off(self._server)
                await asyncio.wait([closed], timeout=_CUT_OFF_SECONDS)

    def _cut_off(self, server: Server) -> None:
        for connection in self._accepted:
            connection.transport.abort()
        for handler in server.handler_tasks:
            handler.cancel()

    def _make_connection(self, *args: Any, **kwargs: Any) -> StampedConnection:
        connection = StampedConnection(*args, **kwargs)
        connection.clock = self._clock
        connection.new_rate = self._new_rate_limit
        self._accepted.add(connection)
        return connection

    def _new_rate_limit(self, connection: StampedConnection) -> RateLimit:
        per_second, now, address = self._services.requests_per_second, self._clock.now(), _address(connection)
        suspect = self._excess.is_over_limit(address, now)
        note = partial(self._excess.note, address)
        return RateLimit(per_second, 2 * per_second, now, note, suspect=suspect)

    def _handshake_refusal(self, connection: ServerConnection, request: Request) -> Response | None:
        response = self._response_without_session(connection, request)
        if response is not None:
            self._services.registry.counts.http.note_status("game", response.status_code)
        return response

    def _response_without_session(self, connection: ServerConnection, request: Request) -> Response | None:
        path = request.path.split("?")[0]
        if not _is_upgrade(request):
            host = self._hosts.find(request.headers.get_all("Host"))
            if host is None:
                why = "This server does not answer for that host; add its name to the setting hosts.\n"
                return connection.respond(http.HTTPStatus.MISDIRECTED_REQUEST, why)
            if self._site is not None and path != PATH:
                return _redirect(connection, self._site.url_for(host), request.path)
        if path != PATH:
            return connection.respond(http.HTTPStatus.NOT_FOUND, f"The game is at {PATH}.\n")
        if len(self._channels) >= self._max_connections:
            return connection.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, "Too many connections; come back later.\n")
        return None

    def _site_url(self, connection: ServerConnection) -> str | None:
        """Return the URL of the site for a client: with the host that it named, or the address that it reached."""
        if self._site is None or connection.request is None:
            return None
        host = self._hosts.find(connection.request.headers.get_all("Host"))
        return self._site.url_for(host or connection.local_address[0])

    async def _run_session(self, connection: ServerConnection) -> None:
        assert isinstance(connection, StampedConnection)  # noqa: S101 - made by `_make_connection`
        address = _address(connection)
        channel = SocketChannel(connection, lambda: self._excess.is_over_limit(address, self._clock.now()))
        session = Session(self._services, channel, connection.rate, self._site_url(connection))
        silence = connection.loop.call_later(HELLO_SECONDS, self._close_if_silent, session, channel)
        self._channels.add(channel)
        connection.handle_now = session.try_guess
        try:
            with suppress(ConnectionClosed):
                while not (connection.is_ending or self._closing):
                    frame = await connection.recv()
                    await session.handle_frame(frame, connection.arrived)
                    connection.unread -= 1
                    if connection.unread:
                        await asyncio.sleep(0)  # or a hundred full queues would be worked off before anything else
        finally:
            connection.handle_now = None
            silence.cancel()
            self._channels.discard(channel)
            session.leave()

    def _close_if_silent(self, session: Session, channel: SocketChannel) -> None:
        if session.player is None:
            channel.close(1008, "no hello")


def _address(connection: ServerConnection) -> str:
    """Return the address of the client, or no text if its connection is gone."""
    peer = connection.remote_address
    return str(peer[0]) if peer else ""


def _is_upgrade(request: Request) -> bool:
    return any("websocket" in value.lower() for value in request.headers.get_all("Upgrade"))


def _redirect(connection: ServerConnection, site: str, path: str) -> Response:
    """Return a redirection to the site, to the same path there if it has a plain form."""
    response = connection.respond(http.HTTPStatus.TEMPORARY_REDIRECT, f"The site is at {site}\n")
    response.headers["Location"] = site + path[1:] if _PLAIN_PATH.fullmatch(path) else site
    return response


def _select_subprotocol(_connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Return the subprotocol. A client that names none gets version 1; one that names only others is refused."""
    if not offered:
        return None
    if SUBPROTOCOL not in offered:
        message = f"this server speaks {SUBPROTOCOL}"
        raise NegotiationError(message)
    return Subprotocol(SUBPROTOCOL)
