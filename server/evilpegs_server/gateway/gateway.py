"""The gateway: a WebSocket server that gives every connection a session."""

import asyncio
import http
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final
from weakref import WeakSet

import orjson
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed, NegotiationError
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.typing import Subprotocol

from evilpegs_protocol.codec import encode
from evilpegs_protocol.constants import PATH, SUBPROTOCOL
from evilpegs_protocol.server_messages import Error, ErrorCode
from evilpegs_server.gateway.connection import CLOSE_SECONDS, GameConnection, SocketChannel
from evilpegs_server.gateway.entrance import Entrance, peer_address
from evilpegs_server.gateway.login import SessionServices
from evilpegs_server.gateway.metrics import GameMetrics
from evilpegs_server.gateway.session import Session
from evilpegs_server.hosts import is_local
from evilpegs_server.limits import RateLimit
from evilpegs_server.metric_families import METRICS_TYPE, NOT_LOCAL
from evilpegs_server.play.counts import RATE_LIMIT, EndReason
from evilpegs_server.sealing import hides_metrics

MAX_FRAME_BYTES: Final = 1 << 16
"""A longer frame ends its connection; a shorter one above the protocol's limit only gets an error."""
RETRY_SECONDS: Final = 2
_CUT_OFF_SECONDS: Final = 0.5
# a redirection repeats only these paths; all others lead to the root of the site
_PLAIN_PATH: Final = re.compile(r"/[A-Za-z0-9._~%/?&=+,:-]{0,2000}")


class Gateway:
    """A WebSocket server with a session per connection; plain requests are answered, or redirected to the site."""

    # set by `open`
    _server: Server
    _sweeping: asyncio.Task[None]

    def __init__(
        self, services: SessionServices, entrance: Entrance, metrics: GameMetrics, sweep_seconds: float
    ) -> None:
        self._services, self._sweep_seconds = services, sweep_seconds
        self._per_second = services.settings.requests_per_second
        self._entrance = entrance
        self._metrics = metrics
        self._closing = False
        self._sessions: dict[SocketChannel, Session] = {}
        self._accepted: WeakSet[GameConnection] = WeakSet()

    async def open(self, host: str, port: int) -> tuple[str, int]:
        """Listen, and return the bound address and port. Raises OSError if the address cannot be bound."""
        self._server = await serve(
            self._run_session,
            host,
            port,
            create_connection=self._make_connection,  # type: ignore[arg-type]
            process_request=self._handshake_refusal,
            process_response=_drop_body_for_head,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            select_subprotocol=_select_subprotocol,
            compression=None,
            max_size=MAX_FRAME_BYTES,
            max_queue=16,
            close_timeout=CLOSE_SECONDS,
            server_header=None,
        )
        self._sweeping = asyncio.create_task(self._sweep())
        address = next(iter(self._server.sockets)).getsockname()
        return address[0], address[1]

    def broadcast(self, text: str) -> None:
        for channel in self._sessions:
            channel.send([text])

    def end(self, player: int, reason: str, code: ErrorCode | None = None) -> None:
        """Close the connections of a player, after an error with ``code`` if they must not come back as they are."""
        texts = [] if code is None else [encode(Error(code=code, message=reason, fatal=True))]
        for channel, session in tuple(self._sessions.items()):
            if session.player is not None and session.player.id == player:
                self._services.registry.counts.ended[EndReason.OPERATOR] += 1
                channel.send(texts)
                channel.close(1008, reason)

    async def close(self, code: int, reason: str, seconds: float) -> None:
        """Stop listening and close every connection; abort those still open after ``seconds``."""
        self._closing = True
        self._sweeping.cancel()
        self._server.close(code=code, reason=reason)
        for connection in self._accepted:
            if connection.protocol.state is State.CONNECTING:
                connection.cut_off()  # or closing would wait for its handshake
        closed = asyncio.ensure_future(self._server.wait_closed())
        await asyncio.wait([closed], timeout=seconds)
        if not closed.done():
            for connection in self._accepted:
                connection.cut_off()
            for handler in self._server.handler_tasks:
                handler.cancel()
            await asyncio.wait([closed], timeout=_CUT_OFF_SECONDS)

    def _make_connection(self, *args: Any, **kwargs: Any) -> GameConnection:
        rate = RateLimit(self._per_second, 2 * self._per_second, self._entrance.now())
        ended = self._services.registry.counts.ended
        connection = GameConnection(*args, entrance=self._entrance, rate=rate, ended=ended, **kwargs)
        self._accepted.add(connection)
        return connection

    def _new_rate_limit(self, connection: GameConnection) -> RateLimit:
        address = _address(connection)
        suspect, note = self._is_over_limit(address), partial(self._note_excess, address)
        return RateLimit(self._per_second, 2 * self._per_second, self._entrance.now(), note, suspect=suspect)

    def _note_excess(self, address: str, now: float) -> None:
        self._services.registry.counts.limits[RATE_LIMIT] += 1
        self._services.admission.excess.begin(address, now)

    def _is_over_limit(self, address: str) -> bool:
        return self._services.admission.excess.has_begun(address, self._entrance.now())

    def _handshake_refusal(self, connection: ServerConnection, request: Request) -> Response | None:
        assert isinstance(connection, GameConnection)  # noqa: S101 - made by `_make_connection`
        assert connection.ticket is not None  # noqa: S101 - or nothing would have been read
        response = self._entrance.refusal(connection, request, connection.ticket) or self._answer(connection, request)
        if response is not None:
            if response.status_code >= 400:
                self._services.registry.counts.http_refusals[response.status_code] += 1
            # as soon as the answer is written, so that the connection counts no longer
            connection.loop.call_soon(connection.transport.close)
        else:  # only now the address of a client behind a proxy is known
            connection.rate = self._new_rate_limit(connection)
            if connection.ticket.is_crowded:
                connection.await_hello(connection.ticket)
        return response

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        path = request.path.split("?")[0]
        if not any("websocket" in value.lower() for value in request.headers.get_all("Upgrade")):
            if request.method in {"GET", "HEAD"} and (response := self._health(connection, request, path)) is not None:
                return response
            # a plain request for the game is refused by the library, which says that it needs a WebSocket
            if path != PATH and (site := self._site_url(request)) is not None:
                return _redirect(connection, site, request.path)
        if path != PATH:
            return connection.respond(http.HTTPStatus.NOT_FOUND, f"The game is at {PATH}.\n")
        return None

    def _health(self, connection: ServerConnection, request: Request, path: str) -> Response | None:
        match path:
            case "/healthz":
                return _respond(connection, 200, "application/json", b'{"status":"ok"}')
            case "/readyz":
                if (why := find_obstacle(self._services)) is not None:
                    return _problem(connection, 503, why)
                return _respond(connection, 200, "application/json", b'{"status":"ready"}')
            case "/metrics":
                is_hidden = hides_metrics(self._services.registry.ladders.offered)
                is_public = self._services.settings.public_metrics and not is_hidden
                if not is_public and not is_local(peer_address(connection.transport), request.headers):
                    return _problem(connection, 403, NOT_LOCAL)
                return _respond(connection, 200, METRICS_TYPE, self._metrics.text())
        return None

    def _site_url(self, request: Request) -> str | None:
        site, host = self._entrance.site, self._entrance.hosts.find(request.headers.get_all("Host"))
        return None if site is None or host is None else site.url_for(host)

    async def _run_session(self, connection: ServerConnection) -> None:
        assert isinstance(connection, GameConnection)  # noqa: S101 - made by `_make_connection`
        assert connection.ticket is not None  # noqa: S101 - it was admitted
        assert connection.request is not None  # noqa: S101 - it was answered
        channel = SocketChannel(connection, partial(self._is_over_limit, _address(connection)))
        site = self._site_url(connection.request)
        session = Session(self._services, channel, connection.rate, site, connection.ticket, connection.pause)
        self._sessions[channel] = session
        connection.handle_now = session.handle_now
        try:
            with suppress(ConnectionClosed):
                while not (connection.is_ending or self._closing):
                    frame = await connection.recv()
                    await session.handle_frame(frame, connection.arrivals[0])
                    connection.arrivals.popleft()
                    if connection.arrivals:
                        await asyncio.sleep(0)  # or a hundred full queues would be worked off before anything else
        finally:
            connection.handle_now = None
            self._sessions.pop(channel, None)
            session.leave()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(self._sweep_seconds)
            try:
                self._end_idle_players()
            except Exception:
                self._services.log.exception("could not look for idle players")

    def _end_idle_players(self) -> None:
        now, settings = self._entrance.now(), self._services.settings
        self._services.presence.end_long_gone(now)
        names = []
        for channel, session in tuple(self._sessions.items()):
            seconds = session.idle_seconds(now)
            if session.player is not None and session.player.is_guest:
                if seconds >= settings.guest_idle_seconds:
                    self._end_idle(channel, EndReason.IDLE_GUEST, settings.guest_idle_seconds)
            elif seconds >= settings.name_idle_seconds:
                names.append((seconds, channel))
        longest_first = sorted(names, key=lambda name: -name[0])
        leaving = sum(each.is_failed and not each.ticket.is_closed for each in self._accepted if each.ticket)
        for _, channel in longest_first[: max(0, self._services.admission.wanted_seats - leaving)]:
            self._end_idle(channel, EndReason.IDLE_NAME, settings.name_idle_seconds)

    def _end_idle(self, channel: SocketChannel, why: EndReason, seconds: float) -> None:
        self._services.registry.counts.ended[why] += 1
        limit = f"{why.removeprefix('idle_')}_idle_seconds"
        channel.close(1008, f"no match and no request for {seconds:g} seconds; connect again to play (limit {limit})")


def _address(connection: GameConnection) -> str:
    if connection.ticket is not None and connection.ticket.address is not None:
        return connection.ticket.address
    return peer_address(connection.transport)


def _redirect(connection: ServerConnection, site: str, path: str) -> Response:
    response = connection.respond(http.HTTPStatus.TEMPORARY_REDIRECT, f"The site is at {site}\n")
    response.headers["Location"] = site + path[1:] if _PLAIN_PATH.fullmatch(path) else site
    return response


def _drop_body_for_head(_connection: ServerConnection, request: Request, response: Response) -> Response | None:
    return replace(response, body=b"") if request.method == "HEAD" else None


def _select_subprotocol(_connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    if not offered:
        return None
    if SUBPROTOCOL not in offered:
        raise NegotiationError(f"this server speaks {SUBPROTOCOL}")
    return Subprotocol(SUBPROTOCOL)


def find_obstacle(services: SessionServices) -> str | None:
    """Return why no match can start now."""
    if services.registry.draining:
        return "the server is about to stop"
    health = services.writer.health
    if health.stuck:
        return "the event log cannot be written: a commit takes too long"
    if health.obstacle is not None and not services.registry.node.is_alone:
        return "the event log cannot be written: PostgreSQL refuses it, and the log of this server says why"
    if health.obstacle is not None:
        return "the event log cannot be written: the database file was moved, deleted or replaced"
    return "the event log cannot be written: the last commit failed" if health.failed else None


def _problem(connection: ServerConnection, status: int, detail: str) -> Response:
    title = http.HTTPStatus(status).phrase
    problem = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    response = _respond(connection, status, "application/problem+json", orjson.dumps(problem))
    if status == http.HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def _respond(connection: ServerConnection, status: int, media_type: str, body: bytes) -> Response:
    response = connection.respond(status, body.decode())
    del response.headers["Content-Type"]  # or there would be two
    response.headers["Content-Type"] = media_type
    response.headers["Cache-Control"] = "no-store"
    return response
