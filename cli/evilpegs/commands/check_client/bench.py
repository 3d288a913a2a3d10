"""A real server behind a relay, which shows each message to a script before it lets the message go on."""

import asyncio
import json
import os
import tempfile
from asyncio.subprocess import STDOUT
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import structlog
from structlog.stdlib import BoundLogger
from websockets.asyncio.client import connect
from websockets.asyncio.connection import Connection
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

from evilpegs.database import server_settings
from evilpegs_clients.printable import printable
from evilpegs_clients.strategies.program_guard import ProgramGuard
from evilpegs_protocol.constants import PATH, SUBPROTOCOL
from evilpegs_server.play.stall_free_clock import StallFreeClock
from evilpegs_server.server import RunningServer, running_server

Message = dict[str, Any]
# these may not lead players elsewhere, or refuse them
_PLAIN: Final = dict.fromkeys(("mqtt", "tls_cert", "tls_key", "site_url", "game_url", "solved", "server_key"))
_SUBPROTOCOLS: Final = [Subprotocol(SUBPROTOCOL)]
START_SECONDS: Final = 30.0
"""The least time for a client to start and say hello."""
_LAST_WORDS: Final = 100  # characters


class WrongError(Exception):
    """What the client did, which is wrong."""


class SilentError(WrongError):
    """The client did nothing for as long as it may."""


class EndedError(WrongError):
    def __init__(self, status: int, last_words: str) -> None:
        how = f"with exit status {status}" if status >= 0 else f"by signal {-status}"
        super().__init__(f"ended {how}" + (f", saying {last_words!r}" if last_words else ""))
        self.is_crash = status < 0


@dataclass(eq=False, slots=True)
class Link:
    """A connection of the client, and that of the relay to the server."""

    client: ServerConnection
    server: Connection
    is_cut: bool = False


@dataclass(eq=False, slots=True)
class Heard:
    """A message that waits until `go_on` or `drop` decides what becomes of it."""

    link: Link
    message: Message
    forwarded: asyncio.Future[list[Message]]

    @property
    def type(self) -> str:
        return str(self.message["type"])

    def go_on(self, *before: Message) -> None:
        """Forward the message, after others to the same side."""
        if not self.forwarded.done():
            self.forwarded.set_result([*before, self.message])

    def drop(self) -> None:
        self.forwarded.set_result([])


class ClockAhead(StallFreeClock):
    """The server's clock, which a script can put forward."""

    ahead_ms = 0.0

    def now(self) -> float:
        return super().now() + self.ahead_ms


@dataclass(slots=True)
class ClientCommand:
    """The words of the client's command, and the names under which it is known by its tokens."""

    words: Sequence[str]
    patience: float
    """Seconds that the client may take for what it should do next."""
    ladder: str
    names: dict[str, str] = field(default_factory=dict)
    port: int = 0
    """The same in all scripts, because clients keep tokens by address."""


def _subprotocol(_: ServerConnection, named: Sequence[Subprotocol]) -> Subprotocol | None:
    return next((each for each in named if each == SUBPROTOCOL), None)  # to name none means the same


def _drop_line(*_: object) -> Message:
    raise structlog.DropEvent


_NO_LOG: BoundLogger = structlog.wrap_logger(None, processors=[_drop_line], wrapper_class=BoundLogger)


@asynccontextmanager
async def running_bench(command: ClientCommand) -> AsyncIterator["Bench"]:
    """Run a server of its own with an empty database, and the client, in the block."""
    with tempfile.TemporaryDirectory(prefix="evilpegs-check-") as name:
        bench = Bench(command, Path(name))
        try:
            await bench.open()
            yield bench
        finally:
            await bench.close()


class Bench:
    def __init__(self, command: ClientCommand, folder: Path) -> None:
        self.now = asyncio.get_running_loop().time
        self.clock = ClockAhead(self.now)
        self.edit: Callable[[Message], Message] = lambda message: message
        """Changes each message of the server."""
        self.started: Message = {}
        """The `match_started` of the client's match."""
        self.seen, self.is_over = 0, False
        self.token: str | None = None
        """The token that the client has."""
        self._command = command
        self._folder = folder
        self._tokens: dict[str, str] = {}  # those of the server, by the client's
        self._hello: Message = {}
        self._links: list[Link] = []
        self._heard: asyncio.Queue[Heard] = asyncio.Queue()
        self._stack, self._serving = AsyncExitStack(), AsyncExitStack()
        self._server: RunningServer
        self._relay: Server
        self._ended: asyncio.Task[int]

    async def open(self) -> None:
        await self._start_server()
        await self._listen()
        given = {"url": f"ws://127.0.0.1:{self._command.port}{PATH}", "ladder": self._command.ladder}
        words = [
            word.replace("{url}", given["url"]).replace("{ladder}", given["ladder"]) for word in self._command.words
        ]
        guard = ProgramGuard()
        self._stack.callback(guard.kill)
        output = self._stack.enter_context((self._folder / "output").open("wb"))
        environment = os.environ | {f"EVILPEGS_{name.upper()}": value for name, value in given.items()}
        environment["EVILPEGS_SERVER"] = environment.pop("EVILPEGS_URL")
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=STDOUT,
            env=environment,
            process_group=guard.group,
        )
        self._ended = asyncio.create_task(process.wait())

    async def close(self) -> None:
        await self._stack.aclose()
        if hasattr(self, "_relay"):
            self._relay.close(close_connections=False)
            self.cut()
            await self._ended
        await self._serving.aclose()

    async def _start_server(self) -> None:
        own = server_settings(host="127.0.0.1", port=0, site=False, database=f"sqlite:///{self._folder}/check.sqlite3")
        running = running_server(own.model_copy(update=_PLAIN), _NO_LOG, clock=self.clock)
        self._server = await self._serving.enter_async_context(running)

    async def _listen(self) -> None:
        # it pings, and drops a client that leaves pings unanswered, as a server does
        port = self._command.port
        self._relay = await serve(
            self._relay_messages, "127.0.0.1", port, select_subprotocol=_subprotocol, compression=None
        )
        self._command.port = self._relay.sockets[0].getsockname()[1]

    # what a script does

    async def hear(self, *types: str, seconds: float | None = None, **wrong: str) -> Heard:
        """Let messages go on until one of ``types`` comes, which waits; raise WrongError for those of ``wrong``."""
        patience, heard, deadline = self._command.patience, None, 0.0
        while True:
            limit = seconds or (patience if self.token else max(patience, START_SECONDS))
            if heard is None or (seconds is None and heard.type not in {"ping", "pong"}):
                deadline = self.now() + limit
            heard = await self._next(deadline - self.now(), limit)
            if heard.type in types:
                return heard
            if heard.type in wrong:
                raise WrongError(wrong[heard.type])
            heard.go_on()

    async def _next(self, left: float, limit: float) -> Heard:
        while True:
            getting = asyncio.ensure_future(self._heard.get())
            try:
                await asyncio.wait([getting, self._ended], timeout=left, return_when=asyncio.FIRST_COMPLETED)
            finally:
                getting.cancel()
            if not getting.done():
                if self._ended.done():
                    raise EndedError(self._ended.result(), self._last_words())
                raise SilentError(f"did none of it for {limit:g} s")
            if not getting.result().link.is_cut:
                return getting.result()

    def _last_words(self) -> str:
        lines = (self._folder / "output").read_text(errors="replace").split("\n")
        return printable(next((line for line in reversed(lines) if line.strip()), ""))[:_LAST_WORDS]

    def cut(self) -> None:
        """Cut the connections of the client, without a goodbye."""
        for link in self._links:
            link.is_cut = True
            link.client.transport.abort()

    async def restart(self) -> None:
        """Stop the server in order, and start it again on its database; the client cannot connect meanwhile."""
        self._relay.close(close_connections=False)
        passing = asyncio.create_task(self.hear())
        await self._serving.aclose()
        await asyncio.gather(*(link.client.wait_closed() for link in self._links))
        passing.cancel()
        with suppress(WrongError, asyncio.CancelledError):
            await passing
        await self._start_server()
        await self._listen()

    async def take_seat(self) -> None:
        """Resume the client's match on another connection."""
        other = await self._stack.enter_async_context(connect(self._server.url, subprotocols=_SUBPROTOCOLS))
        hello = {"type": "hello", "client": {"name": "check-client", "version": "1"}}
        for message in (
            hello | {"token": self._tokens[self.token or ""]},
            {"type": "resume", "match": self.started["match"], "seq": 0},
        ):
            await other.send(json.dumps(message))

    async def say(self, heard: Heard, message: Message) -> None:
        """Answer a message of the client in the server's place."""
        re = {"re": heard.message["id"]} if "id" in heard.message else {}
        await heard.link.client.send(json.dumps(message | re))

    async def is_answering(self, link: Link, seconds: float) -> bool:
        """Return whether the client answers a WebSocket ping."""
        with suppress(TimeoutError, ConnectionClosed):
            await asyncio.wait_for(await link.client.ping(), seconds)
            return True
        return False

    # the relay

    async def _relay_messages(self, client: ServerConnection) -> None:
        try:
            async with connect(self._server.url, subprotocols=_SUBPROTOCOLS, compression=None, max_size=None) as server:
                link = Link(client, server)
                self._links.append(link)
                ends = (
                    self._pump(link, client, server, self._to_server),
                    self._pump(link, server, client, self._to_client),
                    client.wait_closed(),
                )
                tasks = [asyncio.ensure_future(end) for end in ends]
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in tasks:
                    task.cancel()
                if client.close_code is None and (code := server.close_code or 1006) not in {1005, 1006}:
                    await client.close(code, server.close_reason or "")
        except (OSError, WebSocketException):
            pass  # the server is not there
        client.transport.abort()

    async def _pump(
        self, link: Link, source: Connection, target: Connection, change: Callable[[Message], Message]
    ) -> None:
        with suppress(ConnectionClosed):
            async for text in source:
                try:
                    message = json.loads(text)
                    str(message["type"])
                except (ValueError, TypeError, KeyError):
                    await target.send(text)  # the server says what is wrong with it
                    continue
                heard = Heard(link, message, asyncio.get_running_loop().create_future())
                self._heard.put_nowait(heard)
                for each in await heard.forwarded:
                    await target.send(json.dumps(change(each)))

    def _to_server(self, message: Message) -> Message:
        if message["type"] != "hello":
            return message
        self._hello, token = message, message.get("token")
        if token in self._tokens:
            return {**message, "token": self._tokens[token]}
        if token is None:
            return message
        # a token of the script before, whose server is gone: the same name is claimed here
        name = self._command.names.get(token, "my-client")
        who = {} if name.startswith("guest-") else {"name": name, "kind": "bot"}
        return {key: value for key, value in message.items() if key != "token"} | who

    def _to_client(self, message: Message) -> Message:
        match message["type"]:
            case "welcome":
                known = self._hello.get("token")
                self.token = token = known or message["token"]
                self._command.names[token] = message["player"]
                self._tokens[token] = message.get("token") or self._tokens[token]
                if known:
                    message = {key: value for key, value in message.items() if key != "token"}
            case "match_started":
                self.started = message
            case "match_over":
                self.is_over = True
        if "at" in message and message.get("match") == self.started.get("match"):
            self.seen = max(self.seen, message["seq"])
        return self.edit(message)
