"""The server's side of the publisher process: it starts the process, and starts another one whenever one dies."""

import asyncio
import socket
from collections.abc import Callable
from typing import Any, Final

from evilpegs_server.feed.publisher_messages import PublisherSetup
from evilpegs_server.feed.reconnect_time import STABLE_SECONDS, ReconnectTime
from evilpegs_server.work.child_process import spawn_child
from evilpegs_server.work.frames import FramedProtocol, pack

PROGRAM: Final = "evilpegs_server.feed.publisher.program"
"""The module that the process runs."""
STOP_SECONDS: Final = 0.75
"""The seconds in which the process must end after its last message: half a second for the goodbye, and some spare."""


class PublisherProcess:
    """The owner of the publisher process, which starts another process whenever one dies.

    Call all methods on the thread of the event loop; callbacks run there too. ``setup`` is the first message to each
    process. ``on_message`` is called with each report of the process, and ``on_death`` with the reason, as one line,
    whenever a process has died or could not be started. ``time`` decides the delay before another process is started.
    """

    def __init__(
        self,
        setup: PublisherSetup,
        on_message: Callable[[Any], None],
        on_death: Callable[[str], None],
        time: ReconnectTime,
    ) -> None:
        self.pid: int | None = None
        """The id of the process, or None if there is none."""
        self._setup = setup
        self._on_message = on_message
        self._on_death = on_death
        self._time = time
        self._transport: asyncio.WriteTransport | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing = False

    def start(self) -> None:
        """Start a process now, and another one, after a delay, whenever one has died."""
        self._task = asyncio.create_task(self._keep_running())

    def send(self, message: object) -> None:
        """Send a message to the process without blocking, or drop the message if there is no process."""
        if self._transport is not None:
            self._transport.write(pack(message))

    def abort(self) -> None:
        """Close the socket to the process, so that the process ends and another process is started."""
        if self._transport is not None:
            self._transport.abort()

    async def close(self, last_message: object = None) -> None:
        """End the process and start no other one.

        Without ``last_message``, the process is killed at once. Otherwise the message is sent, and the process is
        killed if it has not ended by itself within `STOP_SECONDS`.
        """
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
                why = f"no process can be started that publishes: {error.strerror}"
            if self._closing:
                return
            self._on_death(why)
            if self._time.now() - began >= STABLE_SECONDS:
                failures = 0
            await self._time.sleep(self._time.delays.draw(failures, self._time.rng))
            failures += 1

    async def _run(self) -> str:
        """Run a process until it ends, and return the reason of its end as one line.

        If this method is cancelled, the process is killed.

        Raises:
            OSError: the process cannot be started.
        """
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
        return f"the process that publishes has ended with the status {status}"

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
