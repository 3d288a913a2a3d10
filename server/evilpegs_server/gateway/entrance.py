"""The game port's checks of connections and of their requests to become a WebSocket.

A connection is counted when it is accepted, before it has sent anything. A refused connection gets a short HTTP answer
that names the limit, and is closed without being read. Behind a trusted proxy only the headers name the client, so its
address is counted when the request has arrived.
"""

import asyncio
import http
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from evilpegs_server.addresses import TrustedProxies
from evilpegs_server.gateway.admission import Admission, Limit, LimitMetError, Ticket
from evilpegs_server.hosts import AllowedHosts, PublicAddress, is_allowed_origin

FOREIGN_ORIGIN: Final = (
    "The header Origin names another site.\n"
    "In a program: leave Origin out, or send the address that you connect to.\n"
    "In a page: only pages of this server may play; its operator sets their address with site_url.\n"
)


@dataclass(frozen=True, slots=True)
class Entrance:
    """The checks of every connection; ``now`` is that of the `StallFreeClock`."""

    admission: Admission
    now: Callable[[], float]
    hosts: AllowedHosts
    site: PublicAddress | None
    site_url: str | None
    proxies: TrustedProxies
    tls_seconds: float
    tls: ssl.SSLContext | None = None

    def admit(self, transport: asyncio.Transport) -> Ticket | None:
        """Count a new connection; if a limit is met, refuse and close it, and return None."""
        peer = peer_address(transport)
        address = None if self.proxies.trusts(peer) else self.proxies.counted_peer(peer)
        try:
            return self.admission.open(address, self.now())
        except LimitMetError as error:
            self._turn_away(transport, error)
            return None

    def refusal(self, connection: ServerConnection, request: Request, ticket: Ticket) -> Response | None:
        """Return the response that refuses a request, if any; behind a proxy, count its client's address."""
        headers = request.headers
        if not self.hosts.allow(headers.get_all("Host"), request.path.split("?")[0]):
            why = "This server does not answer for that host; add its name to the setting hosts.\n"
            return connection.respond(http.HTTPStatus.MISDIRECTED_REQUEST, why)
        origins = headers.get_all("Origin")
        if not is_allowed_origin(origins, headers["Host"], self.hosts, self.site, self.site_url):
            return connection.respond(http.HTTPStatus.FORBIDDEN, FOREIGN_ORIGIN)
        peer = peer_address(connection.transport)
        if self.proxies.trusts(peer):
            forwarded = headers.get_all("Forwarded"), headers.get_all("X-Forwarded-For")
            try:
                self.admission.set_address(ticket, self.proxies.counted_client(peer, *forwarded), self.now())
            except LimitMetError as error:
                return connection.respond(*_answer(error))
        return None

    def _turn_away(self, transport: asyncio.Transport, error: LimitMetError) -> None:
        transport.set_protocol(asyncio.Protocol())
        if self.tls is not None:
            transport.abort()
            return
        status, text = _answer(error)
        body = text.encode()
        headers = Headers({"Retry-After": "10", "Connection": "close", "Content-Type": "text/plain; charset=utf-8"})
        headers["Content-Length"] = str(len(body))
        transport.write(Response(status.value, status.phrase, headers, body).serialize())
        transport.close()


def peer_address(transport: asyncio.BaseTransport) -> str:
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if peer else ""


def _answer(error: LimitMetError) -> tuple[http.HTTPStatus, str]:
    in_all = error.limit is Limit.CONNECTIONS
    why = str(error)
    status = http.HTTPStatus.SERVICE_UNAVAILABLE if in_all else http.HTTPStatus.TOO_MANY_REQUESTS
    return status, f"{why[:1].upper()}{why[1:]}.\n"
