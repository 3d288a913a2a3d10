import asyncio
import socket
from collections.abc import Callable
from typing import Any, Final

from evilpegs_server.feed.publisher_messages import PublisherSetup
from evilpegs_server.feed.reconnect_time import STABLE_SECONDS, ReconnectTime
from evilpegs_server.work.child_process import spawn_child
from evilpegs_server.work.frames import FramedProtocol, pack

PROGRAM: Final = "evilpegs_server.feed.publisher.program"
# half a second for the goodbye, and some spare
STOP_SECONDS: Final = 0.75


class PublisherProcess:
    """The owner of the publisher process, which it replaces whenever one dies; used on the event loop's thread only."""

    def __init__(
        self,
        setup: PublisherSetup,
        on_message: Callable[[Any], None],
        on_death: Callable[[str], None],
        time: ReconnectTime,
    ) -> None:
        self.pid: int | None = None
        self._setup = setup
        self._on_message = on_message
        self._on_death = on_death
        self._time = time
        self._transport: asyncio.WriteTransport | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing = False

    def start(self) -> None:
        self._task = asyncio.create_task(self._keep_running())

    def send(self, message: object) -> None:
        """Send a message without blocking; drop it if no process runs."""
        if self._transport is not None:
            self._transport.write(pack(message))

    def abort(self) -> None:
        """Cut the process off, so that it ends and another one starts."""
        if self._transport is not None:
            self._transport.abort()

    async def close(self, last_message: object = None) -> None:
        """End the process: at once, or within `STOP_SECONDS` of ``last_message``."""
        self._closing = True
        if last_message is not None:
            self.send(last_message)
        if self._task is not None:
            await asyncio.wait([self._task], timeout=0 if last_message is None else STOP_SECONDS)
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _keep_running(self) -> None:
        failures = 0
        while True:
            began = self._time.now()
            try:
                why = await self._run()
            except OSError as error:
                why = f"cannot start the publisher process: {error.strerror}"
            if self._closing:
                return
            self._on_death(why)
            if self._time.now() - began >= STABLE_SECONDS:
                failures = 0
            await self._time.sleep(self._time.delays.draw(failures, self._time.rng))
            failures += 1

    async def _run(self) -> str:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = spawn_child(PROGRAM, theirs.fileno())
            except OSError:
                ours.close()
                raise
        try:
            self.pid = process.pid
            await self._serve(ours)
        finally:
            self.pid = None
            process.kill()
            status = process.wait()
        return f"the publisher process ended with status {status}"

    async def _serve(self, ours: socket.socket) -> None:
        ended = asyncio.Event()
        protocol = FramedProtocol(lambda _: None, self._on_message, ended.set)
        transport, _ = await asyncio.get_running_loop().create_connection(lambda: protocol, sock=ours)
        try:
            transport.write(pack(self._setup))
            self._transport = transport
            await ended.wait()
        finally:
            self._transport = None
            transport.abort()
