"""The worker process, which keeps long computations from holding the interpreter lock of the event loop.

If that process dies, another takes its place and begins anew what was under way: a task has no effect but its result.
What was under way is then done one after another, so that one task which kills its process takes no other with it; and
that one is given up after some deaths.

Server and worker exchange pickles, each behind its length.

First the server sends a `Setup`, then pairs ``(number, task)``. It is sent ``(number, outcome, cost, state)``.
"""

import asyncio
import pickle
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any, Final, NamedTuple, TypeVar

from structlog.stdlib import BoundLogger

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_server.work.tasks import ExportSolved, Task
from evilpegs_server.work.workspace import DevilSolvers, Workspace, WorkspaceState

_LENGTH: Final = struct.Struct("!I")


class Setup(NamedTuple):
    """The contents of a workspace: the bytes for its cache and for one count besides, what devils have solved."""

    cache_bytes: int
    count_bytes: int
    solved: bytes

    def workspace(self) -> Workspace:
        """Return a workspace that has computed nothing yet."""
        devils = DevilSolvers(SolvedPositions.from_bytes(self.solved))
        return Workspace(LiveSets(self.cache_bytes, self.count_bytes), devils)


def packed(message: object) -> bytes:
    """A message as it is sent."""
    content = pickle.dumps(message)
    return _LENGTH.pack(len(content)) + content


def unpacked(received: bytearray) -> Iterator[Any]:
    """The messages that have come whole; they are taken off, and the beginning of the next one stays."""
    while len(received) >= _LENGTH.size:
        end = _LENGTH.size + _LENGTH.unpack_from(received)[0]
        if len(received) < end:
            return
        content = bytes(received[_LENGTH.size : end])
        del received[:end]
        yield pickle.loads(content)  # noqa: S301 - from a process of our own


def read(frames: IO[bytes]) -> Any:
    """The next message of a blocking stream.

    Raises:
        EOFError: there is none.
    """
    head = frames.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    content = frames.read(length)
    if len(content) < length:
        raise EOFError
    return pickle.loads(content)  # noqa: S301 - as above


_T = TypeVar("_T")

MOST_DEATHS: Final = 3
"""With so many processes that died a task is given up."""
STOP_SECONDS: Final = 2.0
"""How long the process may take at its end to tell what it has learnt."""


class WorkerLostError(Exception):
    """The process that computed died, again and again."""


class _Pending:
    """A task, whether a process was given it, and how many processes have died with it."""

    __slots__ = ("deaths", "done", "sent", "task")

    def __init__(self, task: Task[Any], done: Callable[[Any, int], None]) -> None:
        self.task, self.done, self.sent, self.deaths = task, done, False, 0


class WorkerProcess:
    """Does tasks elsewhere; the crew of pools. All of it happens on the thread of the running event loop.

    The process begins with `start`, or with the first task. ``log`` hears of its death. `close` waits at most
    ``stop_seconds`` for what the process has learnt.
    """

    def __init__(self, setup: Setup, log: BoundLogger, stop_seconds: float = STOP_SECONDS) -> None:
        self.state = WorkspaceState()
        """As it was when a task last ended."""
        self._setup = setup
        self._log = log
        self._stop_seconds = stop_seconds
        self._pending: dict[int, _Pending] = {}
        self._begun = self._ended = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The process, if there is one."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Begin the process if there is none; tasks wait until it is ready."""
        if self._process is None:
            ours, theirs = socket.socketpair()
            with theirs:
                try:
                    self._process = _spawn(theirs.fileno())
                except OSError:
                    ours.close()
                    raise
            self._connecting = asyncio.get_running_loop().create_task(self._connect(ours))

    def submit(self, task: Task[_T], done: Callable[[_T | Exception, int], None]) -> None:
        """Do ``task``; ``done`` is called with what came of it and what that cost."""
        if self._closed:
            return
        self._begun += 1
        self._pending[self._begun] = _Pending(task, done)
        if self._transport is None:
            self._begin_process()
        else:
            self._send(self._begun)

    async def run(self, task: Task[_T]) -> _T:
        """What comes of ``task``; raises what it ends with."""
        future: asyncio.Future[_T | Exception] = asyncio.get_running_loop().create_future()
        self.submit(task, lambda outcome, _cost: None if future.done() else future.set_result(outcome))
        outcome = await future
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def close(self) -> bytes | None:
        """End the process, whatever it is at; what its devils have learnt, if there is something and it tells."""
        learnt = None
        if self._ended and self._transport is not None:
            try:
                learnt = await asyncio.wait_for(self.run(ExportSolved()), self._stop_seconds)
            except TimeoutError:
                self._log.warning("what devils have solved could not be asked for in time")
        self._closed = True
        if self._connecting is not None:
            await self._connecting
        self._end()
        return learnt

    def _begin_process(self) -> None:
        try:
            self.start()
        except OSError as error:
            self._log.error("no process can be begun that computes replies", why=error.strerror)
            for number in list(self._pending):
                self._pending.pop(number).done(error, 0)

    async def _connect(self, ours: socket.socket) -> None:
        channel = _Channel(self._connected, self._told, self._lost)
        await asyncio.get_running_loop().create_connection(lambda: channel, sock=ours)

    def _connected(self, transport: asyncio.WriteTransport) -> None:
        self._transport = transport
        transport.write(packed(self._setup))
        for number, pending in self._pending.items():
            if not pending.deaths:
                self._send(number)
        self._send_suspect()

    def _send_suspect(self) -> None:
        """Of the tasks with which a process has died the first."""
        suspect = next((number for number, pending in self._pending.items() if pending.deaths), None)
        if suspect is not None:
            self._send(suspect)

    def _send(self, number: int) -> None:
        assert self._transport is not None  # noqa: S101 - the callers looked
        self._pending[number].sent = True
        self._transport.write(packed((number, self._pending[number].task)))

    def _told(self, number: int, outcome: Any, cost: int, state: WorkspaceState) -> None:
        self.state = state
        self._ended += 1
        pending = self._pending.pop(number, None)
        if pending is None:
            return  # it was forgotten
        if pending.deaths:
            self._send_suspect()
        # Not now: whatever goes wrong there is no fault of the connection that we are called from.
        asyncio.get_running_loop().call_soon(pending.done, outcome, cost)

    def _lost(self) -> None:
        if self._closed:
            return
        self._end()
        self._log.warning("the process that computes replies died; another takes its place", tasks=len(self._pending))
        for number, pending in list(self._pending.items()):
            pending.deaths += pending.sent
            pending.sent = False
            if pending.deaths == MOST_DEATHS:
                del self._pending[number]
                pending.done(WorkerLostError(f"{MOST_DEATHS} processes died with this task"), 0)
        if self._pending:
            self._begin_process()

    def _end(self) -> None:
        if self._transport is not None:
            self._transport.abort()
            self._transport = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class _Channel(asyncio.Protocol):
    """Our end of the socket."""

    def __init__(self, connected: Callable[[Any], None], told: Callable[..., None], lost: Callable[[], None]) -> None:
        self._connected, self._told, self._lost = connected, told, lost
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._connected(transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        for message in unpacked(self._received):
            self._told(*message)

    def connection_lost(self, _error: Exception | None) -> None:
        self._lost()


def _spawn(descriptor: int) -> "subprocess.Popen[bytes]":
    """The process, in a group of its own: Ctrl-C on the terminal is for the server, which then ends this."""
    command = [sys.executable, "-P", "-m", "evilpegs_server.work.worker", str(descriptor)]
    devnull = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=devnull, stdout=devnull, pass_fds=[descriptor], process_group=0)  # noqa: S603
