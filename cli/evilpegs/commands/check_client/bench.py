"""A real server behind a relay, which shows each message to a script before the message goes on."""

import asyncio
import json
import logging
import math
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog
from structlog.stdlib import BoundLogger, filter_by_level
from websockets.asyncio.client import connect
from websockets.asyncio.connection import Connection
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.http11 import Request, Response

from evilpegs.commands.check_client.client import Client, SilentError, WrongError, running_client
from evilpegs.database import server_settings
from evilpegs_protocol.constants import SUBPROTOCOL
from evilpegs_server.play.stall_free_clock import StallFreeClock
from evilpegs_server.server import RunningServer, running_server
from evilpegs_server.storage.location import file_url

Message = dict[str, Any]
# settings that lead players elsewhere or let them wait for others
_PLAIN: Final = dict.fromkeys(("mqtt", "tls_cert", "tls_key", "site_url", "game_url", "solved", "server_key"))
PAUSE_SECONDS, MAX_HASTY = 1.0, 10  # so many connections without such a pause are too many
_HELLO: Final = {"type": "hello", "client": {"name": "check-client", "version": "1"}}
# To name no subprotocol means the same.
_CHOICE: Final[Any] = lambda _, named: next((each for each in named if each == SUBPROTOCOL), None)  # noqa: E731
listen: Final = partial(serve, host="127.0.0.1", select_subprotocol=_CHOICE, compression=None)


@dataclass(eq=False, slots=True)
class Heard:
    """A message that waits until `go_on` decides what is forwarded in its place."""

    client: ServerConnection
    message: Message
    forwarded: asyncio.Future[Sequence[Message]]

    @property
    def type(self) -> str:
        return str(self.message["type"])

    def go_on(self, *instead: Message) -> None:
        self.forwarded.set_result(instead or [self.message])


class ClockAhead(StallFreeClock):
    ahead_ms = 0.0

    def now(self) -> float:
        return super().now() + self.ahead_ms


class Bench:
    """A server with an empty database, and a client that may take ``patience`` seconds for what a script awaits."""

    def __init__(self, folder: Path, patience: float) -> None:
        self.now = asyncio.get_running_loop().time
        self.clock = ClockAhead(self.now)
        self.edit: Callable[[Message], Message] = lambda message: message  # of the server
        self.has_fragments = False  # what the client gets
        self.match: Message = {}  # its `match_started`
        self.answered: dict[str, int] = {}  # the turn of each code that got a feedback in the first game
        self.refusal = 0  # the HTTP status that refuses connections until the client has made a pause
        self.seen, self.is_over = 0, False
        self.patience, self._folder = patience, folder
        # when the client connected last, how often without a pause, and whether it saw the refusal
        self._tried, self._hasty, self._is_refused = -math.inf, 0, False
        self._clients: set[ServerConnection] = set()
        self._heard: asyncio.Queue[Heard | WrongError] = asyncio.Queue()
        self._stack, self._serving = AsyncExitStack(), AsyncExitStack()
        self._server: RunningServer
        self._relay: Server
        self._client: Client
        logger = logging.getLogger("evilpegs.check")
        logger.setLevel(logging.ERROR)
        self._log: BoundLogger = structlog.wrap_logger(logger, [filter_by_level], BoundLogger)

    async def open(self, words: Sequence[str], port: int, ladder: str) -> int:
        await self._start(port)
        hello = await self._talk(_HELLO | {"name": "my-client", "kind": "bot"})
        self._token = hello["token"]
        port = self._relay.sockets[0].getsockname()[1]
        self._client = await self._stack.enter_async_context(running_client(words, port, ladder, self._folder))
        return port

    async def close(self) -> None:
        await self._stack.aclose()
        self._relay.close(close_connections=False)
        self.cut()
        await self._serving.aclose()

    async def _start(self, port: int) -> None:
        own = server_settings(host="127.0.0.1", port=0, site=False, database=file_url(self._folder / "check.sqlite3"))
        running = running_server(own.model_copy(update=_PLAIN), self._log, clock=self.clock)
        self._server = await self._serving.enter_async_context(running)
        self._relay = await listen(self._link, port=port, process_request=self._admit)

    async def hear(self, *types: str, seconds: float | None = None, **wrong: str) -> Heard:
        """Let messages go on until one of ``types`` comes, which waits; raise WrongError for those of ``wrong``."""
        limit = seconds or self.patience
        deadline = self.now() + limit
        while (heard := await self._next(deadline - self.now())) is not None:
            if heard.type == "error" and heard.message["code"] == "rate_limited":  # by the server, not by a script
                raise WrongError("sent more messages than requests_per_second in welcome, and was refused")
            if heard.type in types:
                return heard
            if heard.type in wrong:
                raise WrongError(wrong[heard.type])
            heard.go_on()
        raise SilentError(f"did none of it for {limit:g} s")

    async def _next(self, seconds: float) -> Heard | None:
        getting = asyncio.ensure_future(self._heard.get())
        try:
            ways = [getting, self._client.ended]
            await asyncio.wait(ways, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            getting.cancel()
        if getting.done():
            heard = getting.result()
            if isinstance(heard, WrongError):
                raise heard
            return heard if heard.client in self._clients else await self._next(seconds)
        if not self._client.ended.done():
            return None
        raise self._client.end()

    def cut(self) -> None:
        while self._clients:
            self._clients.pop().transport.abort()

    async def restart(self) -> None:
        """Stop the server in order, and start it again on its database; nobody can connect meanwhile."""
        port = self._relay.sockets[0].getsockname()[1]
        self._relay.close(close_connections=False)
        passing = asyncio.create_task(self.hear())
        await self._serving.aclose()
        await asyncio.gather(*(client.wait_closed() for client in self._clients))
        passing.cancel()
        with suppress(WrongError, asyncio.CancelledError):
            await passing
        await self._start(port)

    async def take_seat(self) -> None:
        """Resume the client's match on another connection, which stays open."""
        await self._talk(_HELLO | {"token": self._token}, {"type": "resume", "match": self.match["match"], "seq": 0})

    async def _talk(self, *messages: Message) -> Message:
        other = await self._stack.enter_async_context(connect(self._server.url))
        for message in messages:
            await other.send(json.dumps(message))
        answer: Message = json.loads(await other.recv())
        return answer

    # the relay

    def _admit(self, client: ServerConnection, _: Request) -> Response | None:
        pause, self._tried = self.now() - self._tried, self.now()
        self._hasty = self._hasty + 1 if (is_hasty := pause < PAUSE_SECONDS * 0.9) else 0  # timers may be early
        if self._hasty == MAX_HASTY:
            self._heard.put_nowait(WrongError(f"connected again {MAX_HASTY} times without a pause of a second"))
        if not self.refusal or (self._is_refused and not is_hasty):
            return None
        self._is_refused = True
        response = client.respond(self.refusal, "come back later\n")
        response.headers["Retry-After"] = f"{PAUSE_SECONDS:g}"
        return response

    async def _link(self, client: ServerConnection) -> None:
        self._clients.add(client)
        with suppress(OSError, WebSocketException):  # the server may be gone
            async with connect(self._server.url, compression=None, max_size=None) as server:
                pumps = self._pump(client, client, server), self._pump(client, server, client), client.wait_closed()
                tasks = [asyncio.ensure_future(pump) for pump in pumps]
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in tasks:
                    task.cancel()
                if server.close_code not in {None, 1005, 1006}:
                    await client.close(server.close_code or 1000, server.close_reason or "")
        client.transport.abort()

    async def _pump(self, client: ServerConnection, source: Connection, target: Connection) -> None:
        with suppress(ConnectionClosed):
            async for text in source:
                try:
                    message = json.loads(text)
                    str(message["type"])
                except (ValueError, TypeError, KeyError):
                    await target.send(text)  # the server says what is wrong with it
                    continue
                heard = Heard(client, message, asyncio.get_running_loop().create_future())
                self._heard.put_nowait(heard)
                for each in await heard.forwarded:
                    sent = json.dumps(self._to_client(each) if target is client else self._to_server(each))
                    is_cut = self.has_fragments and target is client
                    await target.send([sent[:7], sent[7:-7], sent[-7:]] if is_cut else sent)

    def _to_server(self, message: Message) -> Message:
        if message["type"] != "hello":
            return message
        # it is always the same player, whatever name or token of another server it has
        self._is_new = "token" not in message
        kept = {name: value for name, value in message.items() if name not in {"name", "kind"}}
        return kept | {"token": self._token}

    def _to_client(self, message: Message) -> Message:
        if message["type"] == "welcome" and self._is_new:
            message |= {"token": self._token}
        if message["type"] == "match_started":
            self.match = message
        if message["type"] == "feedback" and message["game"] == 1:
            self.answered[message["code"]] = message["turn"]
        self.is_over = self.is_over or message["type"] == "match_over"
        self.seen = max(self.seen, message["seq"] if "at" in message else 0)
        return self.edit(message)
