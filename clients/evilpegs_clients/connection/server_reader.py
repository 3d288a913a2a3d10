"""Reading from a server without playing, over HTTP: leaderboards, matches and their records, and what is played now.

The server is named by the address of its game, whose answer to `hello` names the site. A request that fails is sent
again, because reading changes nothing; a stream goes on after the last event that arrived.
"""

from collections import deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from http import HTTPStatus
from importlib.metadata import version
from typing import Final, Self
from urllib.parse import quote, urlsplit

import httpx
from httpx_sse import ServerSentEvent, SSEError, aconnect_sse
from pydantic import ValidationError

from evilpegs_clients.connection.connection import RetryPolicy, server_urls
from evilpegs_clients.connection.login import Credentials, LoginSequence, log_in_at_any
from evilpegs_clients.connection.proxies import proxy_failure, proxy_fault, proxy_for
from evilpegs_clients.connection.session import Reconnected, Reconnecting
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.errors import ClientError, ConnectionLostError, ServerUnreachableError, UnreachableReason
from evilpegs_clients.printable import printable
from evilpegs_protocol.client_messages import ClientInfo
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.leaderboard import LeaderboardDocument
from evilpegs_protocol.server_messages import RecordEvent, Welcome
from evilpegs_protocol.tls import tls_context

SILENCE_SECONDS: Final = 45.0
"""The longest wait for bytes; a stream sends something every 15 seconds."""
_NO_SITE: Final = "leads to no site of an evilpegs server"
_RETRIED: Final = frozenset({429, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class EventsMissed:
    """More happened while a stream was interrupted than the server can repeat."""


ReaderEvent = Reconnecting | Reconnected | EventsMissed


class NotFoundError(ClientError):
    """The site has no such ladder or match."""


class ServerReader:
    """A reader of the first address that answers, open during an `async with` block; methods raise `ClientError`."""

    welcome: Welcome

    def __init__(
        self, server: str, program: str, retry_policy: RetryPolicy, on_event: Callable[[ReaderEvent], object]
    ) -> None:
        self._urls = deque(server_urls(server))
        self.server = self._urls[0]
        self._client = ClientInfo(name=program, version=version("evilpegs"))
        self._retry_policy = retry_policy
        self._on_event = on_event
        self._was_reached = False

    async def __aenter__(self) -> Self:
        login = LoginSequence(self.server, Credentials(self._client), TokenFile(default_token_file()))
        seconds = self._retry_policy.timeout
        connection, self.welcome = await log_in_at_any(self._urls, login, lambda _: None, seconds)
        self.server = self._urls[0]
        await connection.close()
        self._site = self.welcome.server.site
        if self._site is None:
            raise ServerUnreachableError(
                f"{self.server} runs without its site, which shows leaderboards and matches",
                UnreachableReason.OTHER_SERVER,
            )
        try:
            parts = urlsplit(self._site)
            if parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0:
                raise self._other_server()
            httpx.URL(self._site)
            self._proxy = proxy_for(self._site)
        except (httpx.InvalidURL, ValueError):
            raise self._other_server() from None
        try:
            self._http = httpx.AsyncClient(
                base_url=self._site,
                timeout=httpx.Timeout(seconds, read=SILENCE_SECONDS),
                verify=tls_context(),
                proxy=self._proxy,
                trust_env=False,  # for proxies only, and the proxy is chosen here
            )
        except (httpx.InvalidURL, ValueError, ImportError) as error:
            raise self._blamed(proxy_fault(self._proxy or "", error) or "is not the URL of a proxy") from None
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def standings(self, ladder: str) -> LeaderboardDocument:
        """Return the leaderboard of a ladder. Raises NotFoundError."""
        text = (await self._get(f"api/v1/ladders/{quote(ladder, safe='')}/leaderboard")).text
        try:
            return LeaderboardDocument.model_validate_json(text)
        except ValidationError:
            raise self._blamed(_NO_SITE) from None

    async def newest_match(self) -> str | None:
        """Return the id of the finished match that started last."""
        return next(iter(await self._match_ids("api/v1/matches?over=true&limit=1")), None)

    async def live_matches(self, ladder: str | None, count: int) -> list[str]:
        """Return the ids of the newest matches that are played now, on a ladder or on all."""
        where = "" if ladder is None else f"&ladder={quote(ladder, safe='')}"
        return await self._match_ids(f"api/v1/live?limit={count}{where}")

    async def record(self, match: str) -> list[str]:
        """Return the JSON texts of all events of a match so far. Raises NotFoundError."""
        lines = (await self._get(f"api/v1/matches/{quote(match, safe='')}/record")).text.splitlines()
        for line in lines:
            self.decode(line)
        return lines

    def decode(self, text: str) -> RecordEvent:
        """Return an event that the site sent as JSON text."""
        try:
            return decode_record_event(text)
        except CodecError:
            raise self._blamed(_NO_SITE) from None

    async def follow(self, path: str) -> AsyncGenerator[ServerSentEvent, None]:
        """Yield the events of ``path``, after lost connections too, until nothing can follow. Raises NotFoundError."""
        attempts, headers = _Attempts(self._retry_policy, self._on_event), dict[str, str]()
        while True:
            try:
                async with aconnect_sse(self._http, "GET", path, headers=headers) as source:
                    if source.response.status_code == HTTPStatus.NO_CONTENT:
                        return
                    await self._check(source.response)
                    attempts.note_connected()
                    async for event in source.aiter_sse():
                        attempts.begin_anew()
                        if event.id:
                            headers["Last-Event-ID"] = event.id
                        if event.data:
                            yield event
                error: ClientError = ConnectionLostError(f"{self._site} ended the stream")
            except (httpx.TransportError, SSEError) as cause:
                error = self._unreachable(cause)
            except ConnectionLostError as refused:
                error = refused
            await self._wait(attempts, error)

    async def _wait(self, attempts: "_Attempts", error: ClientError) -> None:
        # a site that was never reached is probably not there, so the first failure is the last
        if not self._was_reached:
            raise error
        await attempts.wait(error)

    async def _get(self, path: str) -> httpx.Response:
        attempts = _Attempts(self._retry_policy, self._on_event)
        while True:
            try:
                response = await self._http.get(path)
                await self._check(response)
            except httpx.TransportError as cause:
                await self._wait(attempts, self._unreachable(cause))
            except ConnectionLostError as refused:
                await self._wait(attempts, refused)
            else:
                attempts.note_connected()
                return response

    async def _check(self, response: httpx.Response) -> None:
        self._was_reached = True
        if response.is_success:
            return
        await response.aread()
        try:
            why = printable(str(response.json()["detail"]))[:300]
        except (ValueError, KeyError, TypeError):
            answer = f"{response.status_code} {response.reason_phrase}"
            raise self._blamed(f"answers HTTP {printable(answer)[:80]}") from None
        if response.status_code == HTTPStatus.NOT_FOUND:
            raise NotFoundError(why)
        if response.status_code in _RETRIED:
            raise ConnectionLostError(f"{self._site} is busy: {why}")
        raise ServerUnreachableError(f"{self._site} refuses the request: {why}", UnreachableReason.OTHER_SERVER)

    def _unreachable(self, error: Exception) -> ServerUnreachableError:
        match error:
            case httpx.ProxyError():
                return self._blamed(f"answers HTTP {printable(str(error))[:80]}")
            case httpx.ConnectError() | httpx.ConnectTimeout() if self._proxy is not None:
                return self._blamed(f"cannot be reached: {printable(str(error)) or 'it does not answer'}")
            case httpx.TimeoutException():
                what = f"{self._site} does not answer"
            case httpx.RemoteProtocolError() | httpx.ReadError():
                what = f"the connection to {self._site} was cut"
            case _:
                what = f"cannot read {self._site}, the site of {self.server}: {printable(str(error))}"
        return ServerUnreachableError(what, UnreachableReason.NETWORK)

    def _blamed(self, what: str) -> ServerUnreachableError:
        # a wrong answer is more likely of a proxy that refuses than of a site that is none
        return self._other_server() if self._proxy is None else proxy_failure(self._proxy, self._site or "", what)

    def _other_server(self) -> ServerUnreachableError:
        return ServerUnreachableError(
            f"{self._site} does not answer as the site of an evilpegs server", UnreachableReason.OTHER_SERVER
        )

    async def _match_ids(self, path: str) -> list[str]:
        try:
            return [str(match["match"]) for match in (await self._get(path)).json()["matches"]]
        except (ValueError, KeyError, TypeError):
            raise self._blamed(_NO_SITE) from None


class _Attempts:
    def __init__(self, policy: RetryPolicy, on_event: Callable[[ReaderEvent], object]) -> None:
        self._policy, self._on_event = policy, on_event
        self._delays = policy.delays()
        self._failures, self._is_out = 0, False

    def note_connected(self) -> None:
        if self._is_out:
            self._on_event(Reconnected(self._failures))
        self._is_out = False

    def begin_anew(self) -> None:
        self._failures, self._delays = 0, self._policy.delays()

    async def wait(self, error: ClientError) -> None:
        seconds = next(self._delays, None)
        if seconds is None:
            raise error
        self._failures += 1
        self._is_out = True
        self._on_event(Reconnecting(str(error), self._failures, seconds))
        await self._policy.sleep(seconds)
