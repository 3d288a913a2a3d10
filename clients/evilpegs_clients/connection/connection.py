"""One connection to a server: requests get their direct answers, and every message is delivered in order.

Each message, answers included, first goes to ``deliver``. A `MatchView` that ``deliver`` updates is therefore never
behind an answer that a caller of `ProtocolConnection.ask` has received.
"""

import asyncio
import errno
import json
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidStatus,
    WebSocketException,
)
from websockets.typing import Subprotocol

from evilpegs_clients.connection.proxies import proxy_failure, proxy_fault, proxy_for, through_proxy
from evilpegs_clients.errors import (
    BrokenRecordError,
    ClientError,
    ConnectionLostError,
    SeatTakenError,
    ServerRefusedError,
    ServerUnreachableError,
    UnreachableReason,
)
from evilpegs_clients.printable import printable
from evilpegs_game.errors import MalformedError, quoted
from evilpegs_protocol.backoff import Backoff
from evilpegs_protocol.codec import CodecError, decode_event, encode
from evilpegs_protocol.constants import CLOSE_SEAT_TAKEN, PATH, SERVER_FRAME_BYTES, SUBPROTOCOL, port_fault
from evilpegs_protocol.fields import ClientMessage
from evilpegs_protocol.server_messages import Error, ServerEvent
from evilpegs_protocol.tls import tls_context

DIAL_SECONDS: Final = 10.0
# the statuses with which a game port refuses a connection; the body says why
_REFUSALS: Final = frozenset({403, 421, 429, 503})
CLOSE_SECONDS: Final = 2.0
USUAL_PORT: Final = 8765
"""The default game port."""
# without a scheme, or with http(s) instead of ws(s); group 2 is the s, group 3 HOST:PORT
_OTHER_SCHEME: Final = re.compile(r"(?:(http)(s?)://)?([A-Za-z0-9.-]+:[0-9]+|\[[0-9a-fA-F:]+\]:[0-9]+)(?:/|/v1)?")


def server_urls(text: str) -> list[str]:
    """Return the WebSocket URLs of a server at several addresses, separated by commas, which one database joins.

    The first names the server: tokens are kept under it. Raises MalformedError, which quotes the wrong one.
    """
    return [_server_url(address) for address in text.split(",")]


def server_url(text: str) -> str:
    """Return the first WebSocket URL of what a person typed, ``/v1`` by default; raises MalformedError."""
    return server_urls(text)[0]


def _server_url(text: str) -> str:
    if (fault := port_fault(text)) is not None:
        raise MalformedError(fault)
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise _not_a_url(text) from None
    if parts.scheme not in {"ws", "wss"} or not parts.hostname or parts.username or port == 0:
        raise _not_a_url(text)
    return parts._replace(path=PATH if parts.path in {"", "/"} else parts.path, fragment="").geturl()


def _not_a_url(text: str) -> MalformedError:
    match = _OTHER_SCHEME.fullmatch(text.strip())
    instead = "ws://HOST:PORT" if match is None else f"ws{match[2] or ''}://{match[3]}"
    shown = quoted(re.sub("//([^/:@]*):.*@", r"//\1:***@", text), 80)
    return MalformedError(f"not the address of a server: {shown}; write {instead}{PATH}")


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    """A message, parsed and as received but for `re`: a record's hashes also cover fields unknown to this client."""

    message: ServerEvent
    fields: Mapping[str, Any]


_FINAL: Final = frozenset({"auth_failed", "banned"})
"""After a fatal error with one of these codes, coming back with the same token is of no use."""
Deliver = Callable[[ReceivedMessage], None]


async def dial(url: str, deliver: Deliver, seconds: float = DIAL_SECONDS) -> "ProtocolConnection":
    """Connect to ``url``, which may lack the path; raises ServerUnreachableError, which says why and what to do."""
    url = server_url(url)
    proxy, loop = proxy_for(url), asyncio.get_running_loop()
    if proxy is not None and loop.get_exception_handler() is None:
        loop.set_exception_handler(_report)
    # here, because a file of SSLKEYLOGFILE that cannot be opened is no fault of the network
    tls = tls_context() if url.startswith("wss:") else None
    try:
        opened = await connect(
            url,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            proxy=proxy,
            ssl=tls,
            open_timeout=seconds,
            close_timeout=CLOSE_SECONDS,
            max_size=SERVER_FRAME_BYTES,
        )
    except (OSError, WebSocketException, ImportError, ValueError) as error:
        if proxy is None:
            raise _unreachable(url, error) from error
        if (fault := proxy_fault(proxy, error)) is not None:
            raise proxy_failure(proxy, url, fault) from error
        raise through_proxy(proxy, _unreachable(url, error)) from error
    if opened.subprotocol != SUBPROTOCOL:
        await opened.close()
        raise ServerUnreachableError(
            f"{url} does not speak {SUBPROTOCOL}: not an evilpegs server, or a newer one",
            UnreachableReason.OTHER_SERVER,
        )
    return ProtocolConnection(url, opened, deliver)


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    # websockets ends the answer of a proxy a second time when it hangs up, and a connection that TLS never began
    if not isinstance(context.get("exception"), EOFError) and "Connection.connection_lost" not in context["message"]:
        loop.default_exception_handler(context)


class ProtocolConnection:
    """An open connection, made by `dial`; close it with `close`."""

    def __init__(self, url: str, opened: ClientConnection, deliver: Deliver) -> None:
        self._url = url
        self._socket = opened
        self._deliver = deliver
        self._numbers = count(1)
        self._waiting: dict[str, asyncio.Future[ServerEvent]] = {}
        self._refusal: ServerRefusedError | None = None
        self.ended: asyncio.Task[ClientError] = asyncio.create_task(self._read())
        """Done once no more messages will arrive; the result is an error that says why."""

    async def ask(self, request: ClientMessage) -> ServerEvent:
        """Return the answer to ``request``; raises ServerRefusedError, or the error that ended the connection first."""
        number = str(next(self._numbers))
        answer: asyncio.Future[ServerEvent] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            try:
                await self._socket.send(encode(request.model_copy(update={"id": number})))
            except ConnectionClosed:
                raise await asyncio.shield(self.ended) from None
            either: list[asyncio.Future[Any]] = [answer, self.ended]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            del self._waiting[number]
        if not answer.done():
            raise self.ended.result()
        reply = answer.result()
        if isinstance(reply, Error):
            raise ServerRefusedError(reply.code, reply.message, reply.retry_after_ms)
        return reply

    async def close(self) -> None:
        """Close the connection; a match that is not over continues on the server."""
        await self._socket.close()
        await self.ended

    async def _read(self) -> ClientError:
        try:
            while True:
                self._receive(await self._socket.recv())
        except ConnectionClosed:
            return self._close_reason()
        except CodecError as error:
            return ServerUnreachableError(
                f"{self._url} sent what is not evilpegs v1: {printable(str(error))}", UnreachableReason.OTHER_SERVER
            )
        except (ConnectionLostError, BrokenRecordError) as error:
            return error
        finally:
            await self._socket.close()

    def _receive(self, frame: str | bytes) -> None:
        message = decode_event(frame if isinstance(frame, str) else "")
        fields = json.loads(frame)
        fields.pop("re", None)
        self._deliver(ReceivedMessage(message, fields))
        if isinstance(message, Error) and message.fatal and message.code in _FINAL:
            self._refusal = ServerRefusedError(message.code, message.message, message.retry_after_ms)
        answer = self._waiting.get(message.re or "")
        if answer is not None and not answer.done():
            answer.set_result(message)

    def _close_reason(self) -> ClientError:
        if self._refusal is not None:
            return self._refusal
        if self._socket.close_code == CLOSE_SEAT_TAKEN:
            return SeatTakenError("another connection of the same player plays this match now")
        reason = printable(self._socket.close_reason or "")
        return ConnectionLostError(f"the connection to {self._url} was cut" + (f": {reason}" if reason else ""))


def _remedy(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme != "ws" or parts.hostname not in {"127.0.0.1", "localhost"}:
        return "check the address given with --server"
    if parts.port == USUAL_PORT:
        return "run `evilpegs serve`, or name another server with --server"
    return f"start a server there with: evilpegs serve --port {parts.port or 80}"


def _no_tls(url: str, error: OSError) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            remedy = "check the address, or set SSL_CERT_FILE to the file of a certificate that you trust"
            return f"the certificate of {url} is not valid here ({printable(error.verify_message)}); {remedy}"
        case ssl.SSLError():
            # ws:// is suggested only if the failure can mean that the server does not use TLS
            return f"no secure connection to {url}; perhaps the server wants ws:// and not wss://"
    remedy = "perhaps it wants ws:// and not wss://, or has no free seat"
    return f"{url} cut the connection before it was secure; {remedy}"


def _unreachable(url: str, error: Exception) -> ServerUnreachableError:
    reason = UnreachableReason.NETWORK
    message = f"cannot connect to {url}: {printable(str(error))}"
    match error:
        case TimeoutError():
            reason = UnreachableReason.SILENT
            message = f"{url} does not answer; is it the game port of an evilpegs server?"
        # in the text too: asyncio joins the errors of several addresses into one text
        case OSError() if isinstance(error, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(error):
            reason = UnreachableReason.REFUSED
            message = f"nothing listens at {url}; {_remedy(url)}"
        case socket.gaierror():
            reason = UnreachableReason.HOST
            message = f"there is no host of that name: {url}; check the address given with --server"
        case ssl.SSLError() | ConnectionError() if url.startswith("wss:"):
            reason = UnreachableReason.INSECURE
            message = _no_tls(url, error)
        case InvalidStatus() if error.response.status_code in _REFUSALS and error.response.body:
            why = printable(error.response.body.decode(errors="replace").strip()[:300])
            message = f"{url} refuses the connection: {why}"
        case InvalidStatus():
            reason = UnreachableReason.OTHER_SERVER
            status = error.response.status_code
            message = f"{url} answers HTTP {status}: not an evilpegs game port, or not its path {PATH}"
        case InvalidHandshake():
            reason = UnreachableReason.OTHER_SERVER
            tls = f"; if it speaks TLS, write wss{url[2:]}" if url.startswith("ws:") else ""
            message = f"{url} is not the game port of an evilpegs server{tls}"
        case OSError(strerror=str(why)):
            message = f"cannot connect to {url}: {why}"
    return ServerUnreachableError(message, reason)


Sleep = Callable[[float], Awaitable[object]]
_BACKOFF: Final = Backoff(first=0.2, longest=10.0)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Attempts after a cut connection or temporary refusal; connecting and logging in take ``timeout`` seconds each."""

    rng: Random
    sleep: Sleep = asyncio.sleep
    backoff: Backoff = _BACKOFF
    attempts: int = 40
    timeout: float = DIAL_SECONDS

    def delays(self) -> Iterator[float]:
        return (self.backoff.delay(attempt, self.rng) for attempt in range(self.attempts))
