"""Child processes of the server: how one is kept running, and the frames between it and the server.

A child has one end of a pair of sockets. It ends when the other end is closed, so it never outlives its server. A frame
is a pickled message after its length in four bytes; both ends are processes of one server, and nobody else can open
their sockets.
"""

import asyncio
import pickle
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from evilpegs_protocol.backoff import Backoff

STABLE_SECONDS: Final = 10.0
"""The seconds after which a connection or process is stable, so that delays are short again."""
_LENGTH: Final = struct.Struct("!I")
_RECEIVED_BYTES: Final = 1 << 16


@dataclass(eq=False)
class Retries:
    """The waits between attempts to keep something running: they grow until an attempt lasts `STABLE_SECONDS`."""

    backoff: Backoff
    rng: Random
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    _failures: int = 0
    _began: float | None = None

    def begin(self) -> None:
        self._began = self.now()

    async def wait(self) -> None:
        """Wait after an attempt, which has failed early unless it called `begin` long ago."""
        if self._began is not None and self.now() - self._began >= STABLE_SECONDS:
            self._failures = 0
        self._began = None
        await self.sleep(self.backoff.delay(self._failures, self.rng))
        self._failures += 1


@dataclass(eq=False, repr=False)
class ChildProcess:
    """A child process that is replaced whenever it ends; call all methods on the thread of the event loop."""

    name: str
    program: str
    setup: object  # the first message to each process
    retries: Retries
    on_message: Callable[[Any], None]
    on_end: Callable[[str, bool], None]  # gets the reason, and whether it was started
    on_start: Callable[[], None]
    inherited: Sequence[int] = ()  # file descriptors that are open in it too
    pid: int | None = None
    _transport: asyncio.WriteTransport | None = None
    _task: asyncio.Task[None] | None = None
    _closing: bool = False

    def start(self) -> None:
        """Keep a process running from now on."""
        if self._task is None and not self._closing:
            self._task = asyncio.create_task(self._keep_running())

    def send(self, message: object) -> bool:
        """Send a message without blocking; return False if no process runs, which drops it."""
        # a transport of uvloop that is closed raises, until its owner has noticed
        if self._transport is None or self._transport.is_closing():
            return False
        self._transport.write(pack(message))
        return True

    def abort(self) -> None:
        """Cut the process off, so that it ends and another one starts."""
        if self._transport is not None:
            self._transport.abort()

    async def close(self, seconds: float = 0) -> None:
        """Let the process end by itself for ``seconds``, then kill it."""
        self._closing = True
        if self._task is not None:
            await asyncio.wait([self._task], timeout=seconds)
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _keep_running(self) -> None:
        while True:
            try:
                status = await self._run()
            except OSError as error:
                why, was_started = f"cannot start the {self.name}: {error.strerror}", False
            else:
                why, was_started = f"the {self.name} ended with status {status}", True
            if self._closing:
                return
            self.on_end(why, was_started)
            await self.retries.wait()
            if self._closing:
                return

    async def _run(self) -> int:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-P", "-m", self.program, str(theirs.fileno())]
            devnull, fds = subprocess.DEVNULL, [theirs.fileno(), *self.inherited]
            try:
                # a process group of its own, so that Ctrl-C on the terminal reaches only the server
                process = subprocess.Popen(command, stdin=devnull, stdout=devnull, pass_fds=fds, process_group=0)  # noqa: S603, ASYNC220
            except OSError:
                ours.close()
                raise
        self.retries.begin()
        try:
            self.pid = process.pid
            await self._serve(ours)
        finally:
            process.kill()
            await _wait_for_end(process)
            self.pid = None
        return process.returncode

    async def _serve(self, ours: socket.socket) -> None:
        ended, loop = asyncio.Event(), asyncio.get_running_loop()
        transport, _ = await loop.create_connection(lambda: FramedProtocol(self.on_message, ended.set), sock=ours)
        try:
            self._transport = transport
            self.send(self.setup)
            self.on_start()
            await ended.wait()
        finally:
            self._transport = None
            transport.abort()


async def _wait_for_end(killed: subprocess.Popen[bytes]) -> None:
    cancellation: asyncio.CancelledError | None = None
    # one that waits for a disk ends later, and the games go on meanwhile
    while killed.poll() is None:
        try:
            await asyncio.sleep(0.005)
        except asyncio.CancelledError as error:  # nobody else would wait for it
            cancellation = error
    if cancellation is not None:
        raise cancellation


def pack(message: object) -> bytes:
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


def unpack_messages(received: bytearray) -> Iterator[Any]:
    """Yield the messages of the complete frames in ``received``, and remove these frames from it."""
    while len(received) >= _LENGTH.size:
        end = _LENGTH.size + _LENGTH.unpack_from(received)[0]
        if len(received) < end:
            return
        content = bytes(received[_LENGTH.size : end])
        del received[:end]
        yield pickle.loads(content)  # noqa: S301 - from a process of our own


def receive_messages(connection: socket.socket) -> Iterator[Any]:
    """Yield the messages that arrive on a blocking socket until its other end is closed."""
    received = bytearray()
    while data := connection.recv(_RECEIVED_BYTES):
        received += data
        yield from unpack_messages(received)


class FramedProtocol(asyncio.Protocol):
    def __init__(self, on_message: Callable[[Any], None], on_close: Callable[[], None]) -> None:
        self._on_message, self._on_close = on_message, on_close
        self._received = bytearray()

    def data_received(self, data: bytes) -> None:
        self._received += data
        for message in unpack_messages(self._received):
            self._on_message(message)

    def connection_lost(self, _error: Exception | None) -> None:
        self._on_close()
