"""The server's side of the worker process, which runs computations that would block the event loop.

If the process dies, a new process repeats the tasks that were running; a task has no effect except its result. The
repeated tasks run one after another, so that a task that kills its process harms no other task. If `MAX_DEATHS`
processes have died during a task, the task fails with `WorkerLostError`.
"""

import asyncio
import socket
import subprocess
from collections.abc import Callable
from typing import Any, Final, TypeVar

from structlog.stdlib import BoundLogger

from evilpegs_server.work.child_process import spawn_child
from evilpegs_server.work.frames import FramedProtocol, pack
from evilpegs_server.work.tasks import ExportSolved, Task
from evilpegs_server.work.worker_messages import WorkerSetup
from evilpegs_server.work.workspace import WorkspaceState

_T = TypeVar("_T")

PROGRAM: Final = "evilpegs_server.work.worker"
MAX_DEATHS: Final = 3
# for the export of solved positions
STOP_SECONDS: Final = 2.0


class WorkerLostError(Exception):
    """The error of a task during which `MAX_DEATHS` worker processes died."""


class _Pending:
    __slots__ = ("deaths", "done", "sent", "task")

    def __init__(self, task: Task[Any], done: Callable[[Any, int], None]) -> None:
        self.task, self.done, self.sent, self.deaths = task, done, False, 0


class WorkerProcess:
    """The owner of a worker process; call all methods on the thread of the event loop, where callbacks run too."""

    def __init__(self, setup: WorkerSetup, log: BoundLogger, stop_seconds: float = STOP_SECONDS) -> None:
        self.state = WorkspaceState()  # when a task last ended
        self._setup = setup
        self._log = log
        self._stop_seconds = stop_seconds
        self._pending: dict[int, _Pending] = {}
        self._submitted = self._ended = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process unless it runs already; tasks wait until it is ready. Raises OSError."""
        if self._process is None:
            ours, theirs = socket.socketpair()
            with theirs:
                try:
                    self._process = spawn_child(PROGRAM, theirs.fileno())
                except OSError:
                    ours.close()
                    raise
            self._connecting = asyncio.get_running_loop().create_task(self._connect(ours))

    def submit(self, task: Task[_T], done: Callable[[_T | Exception, int], None]) -> None:
        """Run ``task``, then call ``done`` with its outcome and its cost; after `close`, do nothing."""
        if self._closed:
            return
        self._submitted += 1
        self._pending[self._submitted] = _Pending(task, done)
        if self._transport is None:
            self._start_or_fail()
        else:
            self._send(self._submitted)

    async def run(self, task: Task[_T]) -> _T:
        """Run ``task``, but not after `close`. Raises WorkerLostError, or OSError if the process cannot be started."""
        future: asyncio.Future[_T | Exception] = asyncio.get_running_loop().create_future()
        self.submit(task, lambda outcome, _cost: None if future.done() else future.set_result(outcome))
        outcome = await future
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def close(self) -> bytes | None:
        """End the process without waiting for tasks; return its solved positions as `SolvedPositions.to_bytes` does.

        Return None if none is new, or if the process has died or does not answer within ``stop_seconds``.
        """
        solved = None
        if self._ended and self._transport is not None:
            try:
                solved = await asyncio.wait_for(self.run(ExportSolved()), self._stop_seconds)
            except TimeoutError:
                self._log.warning("the worker did not hand over its solved positions in time")
            except (OSError, WorkerLostError) as error:
                self._log.warning("the worker died; its solved positions are lost", why=str(error))
        self._closed = True
        if self._connecting is not None:
            await self._connecting
        self._stop_process()
        return solved

    def _start_or_fail(self) -> None:
        try:
            self.start()
        except OSError as error:
            self._log.error("cannot start the worker process", why=error.strerror)
            for number in list(self._pending):
                self._end(number, error)

    async def _connect(self, ours: socket.socket) -> None:
        protocol = FramedProtocol(self._handle_connection, self._handle_result, self._handle_death)
        await asyncio.get_running_loop().create_connection(lambda: protocol, sock=ours)

    def _handle_connection(self, transport: asyncio.WriteTransport) -> None:
        self._transport = transport
        transport.write(pack(self._setup))
        for number, pending in self._pending.items():
            if not pending.deaths:
                self._send(number)
        self._send_suspect()

    def _send_suspect(self) -> None:
        # one at a time: a task that kills its process must harm no other
        suspect = next((number for number, pending in self._pending.items() if pending.deaths), None)
        if suspect is not None:
            self._send(suspect)

    def _send(self, number: int) -> None:
        assert self._transport is not None  # noqa: S101 - the callers have checked
        self._pending[number].sent = True
        self._transport.write(pack((number, self._pending[number].task)))

    def _handle_result(self, message: tuple[int, Any, int, WorkspaceState]) -> None:
        number, outcome, cost, state = message
        self.state = state
        self._ended += 1
        if number not in self._pending:
            return  # it has failed before
        was_suspect = self._pending[number].deaths > 0
        self._end(number, outcome, cost)
        if was_suspect:
            self._send_suspect()

    def _end(self, number: int, outcome: Any, cost: int = 0) -> None:
        # later, because an error in the callback must not harm other tasks
        asyncio.get_running_loop().call_soon(self._pending.pop(number).done, outcome, cost)

    def _handle_death(self) -> None:
        if self._closed:
            return
        self._stop_process()
        self._log.warning("the worker process died; starting another", tasks=len(self._pending))
        for number, pending in list(self._pending.items()):
            pending.deaths += pending.sent
            pending.sent = False
            if pending.deaths == MAX_DEATHS:
                self._end(number, WorkerLostError(f"{MAX_DEATHS} worker processes died with this task"))
        if self._pending:
            self._start_or_fail()

    def _stop_process(self) -> None:
        if self._transport is not None:
            self._transport.abort()
            self._transport = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
