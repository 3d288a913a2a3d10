"""The server's side of the worker process, which runs computations that would block the event loop.

If the process dies, a new process repeats the tasks that were running; a task has no effect except its result. The
repeated tasks run one after another, so that a task that kills its process harms no other task. If several processes
have died with a task, it fails with `WorkerLostError`.
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
"""The module that the process runs."""
MAX_DEATHS: Final = 3
"""The number of processes that may die while a task runs before the task fails."""
STOP_SECONDS: Final = 2.0
"""The seconds that the process has at its end to export its solved positions."""


class WorkerLostError(Exception):
    """The error of a task during which the worker process died repeatedly."""


class _Pending:
    """A submitted task with its callback ``done``.

    ``sent`` is True if the task was sent to the current process. ``deaths`` counts the processes that died with it.
    """

    __slots__ = ("deaths", "done", "sent", "task")

    def __init__(self, task: Task[Any], done: Callable[[Any, int], None]) -> None:
        self.task, self.done, self.sent, self.deaths = task, done, False, 0


class WorkerProcess:
    """The owner of a worker process, which runs the tasks of pools in it.

    Call all methods on the thread of the event loop; callbacks run there too. The process starts with `start` or with
    the first task. Deaths of the process are logged to ``log``. `close` waits at most ``stop_seconds`` for the process
    to return the positions that devils have solved in it.
    """

    def __init__(self, setup: WorkerSetup, log: BoundLogger, stop_seconds: float = STOP_SECONDS) -> None:
        self.state = WorkspaceState()
        """The state of the process's workspace when a task last ended."""
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
        """The id of the process, or None if there is none."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process unless it runs already. Tasks wait until it is ready.

        Raises:
            OSError: the process cannot be started.
        """
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
        """Run ``task`` in the process, then call ``done`` with its result or exception and its cost in units of work.

        Nothing happens after `close`.
        """
        if self._closed:
            return
        self._submitted += 1
        self._pending[self._submitted] = _Pending(task, done)
        if self._transport is None:
            self._start_or_fail()
        else:
            self._send(self._submitted)

    async def run(self, task: Task[_T]) -> _T:
        """Run ``task`` in the process, and return its result or raise its exception."""
        future: asyncio.Future[_T | Exception] = asyncio.get_running_loop().create_future()
        self.submit(task, lambda outcome, _cost: None if future.done() else future.set_result(outcome))
        outcome = await future
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def close(self) -> bytes | None:
        """End the process, even if tasks are running, and return the positions that devils have solved, as bytes.

        Return None if no positions were solved since the last export, or the process does not answer in time.
        """
        solved = None
        if self._ended and self._transport is not None:
            try:
                solved = await asyncio.wait_for(self.run(ExportSolved()), self._stop_seconds)
            except TimeoutError:
                self._log.warning("what devils have solved could not be asked for in time")
            except (OSError, WorkerLostError) as error:
                self._log.warning("what devils have solved is lost, because its process died", why=str(error))
        self._closed = True
        if self._connecting is not None:
            await self._connecting
        self._stop_process()
        return solved

    def _start_or_fail(self) -> None:
        """Start the process; if that fails, end all tasks with the error."""
        try:
            self.start()
        except OSError as error:
            self._log.error("no process can be begun that computes replies", why=error.strerror)
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
        """Send the first unfinished task during which a process died, if there is one. Those tasks run one by one."""
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
        """End a task: call its callback, but later, because an error in it must not harm other tasks."""
        asyncio.get_running_loop().call_soon(self._pending.pop(number).done, outcome, cost)

    def _handle_death(self) -> None:
        if self._closed:
            return
        self._stop_process()
        self._log.warning("the process that computes replies died; another takes its place", tasks=len(self._pending))
        for number, pending in list(self._pending.items()):
            pending.deaths += pending.sent
            pending.sent = False
            if pending.deaths == MAX_DEATHS:
                self._end(number, WorkerLostError(f"{MAX_DEATHS} processes died with this task"))
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
