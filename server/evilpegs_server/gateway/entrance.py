"""The entrance of the game port, which accepts or refuses connections and their requests to become a WebSocket.

A connection is counted when it is accepted, before it has sent anything. A refused connection gets a short HTTP answer
that names the limit, and is closed without being read. Behind a trusted proxy the client is known only from the
headers, so its address is counted when the request has arrived.
"""

import asyncio
import http
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from evilpegs_server.gateway.admission import Admission, Limit, LimitMetError, Ticket
from evilpegs_server.gateway.proxies import TrustedProxies
from evilpegs_server.hosts import AllowedHosts, AllowedOrigins

FOREIGN_ORIGIN: Final = (
    "The header Origin names another site.\n"
    "In a program: leave Origin out, or send the address that you connect to.\n"
    "In a page: only pages of this server may play; its operator sets their address with site_url.\n"
)


@dataclass(frozen=True, slots=True)
class EntranceRules:
    """The rules of the game port: the allowed hosts and origins, the trusted proxies, and the TLS context.

    The TLS context ``tls`` is None if the server does not use TLS.
    """

    hosts: AllowedHosts
    origins: AllowedOrigins
    proxies: TrustedProxies
    tls: ssl.SSLContext | None = None


class Entrance:
    """The checks of every connection to the game port.

    ``now`` returns the time of the `StallFreeClock` in milliseconds.
    """

    def __init__(self, rules: EntranceRules, admission: Admission, now: Callable[[], float]) -> None:
        self.rules = rules
        self._admission = admission
        self._now = now

    def admit(self, transport: asyncio.Transport) -> Ticket | None:
        """Return a ticket, which counts a new connection until `release` is called; None if the connection is refused.

        If a limit is met, the connection is refused and closed.
        """
        peer = _peer(transport)
        proxies = self.rules.proxies
        try:
            return self._admission.open(None if proxies.trusts(peer) else proxies.counted_peer(peer), self._now())
        except LimitMetError as error:
            self._turn_away(transport, error)
            return None

    def note_silence(self, ticket: Ticket) -> None:
        """Note in the counts of admission that the connection with ``ticket`` has not sent `hello` in time."""
        self._admission.note_silence(ticket, self._now())

    def release(self, ticket: Ticket) -> None:
        """Remove the closed connection with the given ticket from the counts of `Admission`."""
        self._admission.close(ticket, self._now())

    def refusal(self, connection: ServerConnection, request: Request, ticket: Ticket) -> Response | None:
        """Return the HTTP response that refuses a request, or None if the request may pass.

        Requests are refused for their host or their origin. If a trusted proxy has forwarded the request, this method
        also counts the connection with ``ticket`` under the address of the client, which the headers name, and refuses
        the request if that address has too many connections.
        """
        headers = request.headers
        if self.rules.hosts.find(headers.get_all("Host")) is None:
            why = "This server does not answer for that host; add its name to the setting hosts.\n"
            return connection.respond(http.HTTPStatus.MISDIRECTED_REQUEST, why)
        if not self.rules.origins.allow(headers.get_all("Origin"), headers["Host"]):
            return connection.respond(http.HTTPStatus.FORBIDDEN, FOREIGN_ORIGIN)
        peer = _peer(connection.transport)
        if self.rules.proxies.trusts(peer):
            forwarded = headers.get_all("Forwarded"), headers.get_all("X-Forwarded-For")
            try:
                self._admission.set_address(ticket, self.rules.proxies.counted_client(peer, *forwarded), self._now())
            except LimitMetError as error:
                return connection.respond(_status(error), f"{_sentence(error)}\n")
        return None

    def _turn_away(self, transport: asyncio.Transport, error: LimitMetError) -> None:
        """Answer with the HTTP error that names the limit, and close the connection; with TLS, abort it unanswered."""
        transport.set_protocol(asyncio.Protocol())
        if self.rules.tls is not None:
            transport.abort()
            return
        status, body = _status(error), f"{_sentence(error)}\n".encode()
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\nRetry-After: 10\r\nConnection: close\r\n"
            f"Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        transport.write(head.encode() + body)
        transport.close()


def _peer(transport: asyncio.BaseTransport) -> str:
    """Return the IP address of the other end of a connection, or an empty text if it is not known any more."""
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if peer else ""


def _status(error: LimitMetError) -> http.HTTPStatus:
    in_all = error.limit is Limit.CONNECTIONS
    return http.HTTPStatus.SERVICE_UNAVAILABLE if in_all else http.HTTPStatus.TOO_MANY_REQUESTS


def _sentence(error: LimitMetError) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
