"""The server's side of the worker process, which runs computations that would block the event loop.

If the process dies, a new process repeats the tasks that were running; a task has no effect except its result. The
repeated tasks run one after another, so that a task that kills its process harms no other task. If `MAX_DEATHS`
processes have died during a task, or could not be started for it, the task fails with `WorkerLostError`.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, Final, TypeVar

from structlog.stdlib import BoundLogger

from evilpegs_protocol.backoff import Backoff
from evilpegs_server.work.child_process import ChildProcess, Retries
from evilpegs_server.work.tasks import ExportSolved, Task
from evilpegs_server.work.workspace import WorkerSetup, WorkspaceState

_T = TypeVar("_T")

PROGRAM: Final = "evilpegs_server.work.worker"
MAX_DEATHS: Final = 3
# players wait for the new process, so the first delay is short
_BACKOFF: Final = Backoff(first=0.02, longest=5.0)


class WorkerLostError(Exception):
    """The error of a task during which `MAX_DEATHS` worker processes died or did not start."""


async def result_of(submit: Callable[[Callable[..., None]], None]) -> Any:
    """Return the outcome with which ``submit`` has its callback called, or raise it."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    submit(lambda outcome, *_cost: None if future.done() else future.set_result(outcome))
    outcome = await future
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


class _Pending:
    __slots__ = ("deaths", "done", "sent", "task")

    def __init__(self, task: Task[Any], done: Callable[[Any, int], None]) -> None:
        self.task, self.done, self.sent, self.deaths = task, done, False, 0


class WorkerProcess:
    """The owner of a worker process; call all methods on the thread of the event loop, where callbacks run too."""

    def __init__(self, setup: WorkerSetup, log: BoundLogger, export_seconds: float) -> None:
        self.state = WorkspaceState()  # when a task last ended
        self._log, self._export_seconds = log, export_seconds
        self._pending: dict[int, _Pending] = {}
        self._submitted = self._ended = 0
        self._closed = False
        retries = Retries(_BACKOFF, Random())  # noqa: S311 - jitter
        self._child = ChildProcess(
            "worker process", PROGRAM, setup, retries, self._handle_result, self._handle_end, self._send_all
        )

    @property
    def pid(self) -> int | None:
        return self._child.pid

    def start(self) -> None:
        """Start the process unless it runs already; tasks wait until it is ready."""
        self._child.start()

    def submit(self, task: Task[_T], done: Callable[[_T | Exception, int], None]) -> None:
        """Run ``task``, then call ``done`` with its outcome and its cost; after `close`, do nothing."""
        if self._closed:
            return
        self._submitted += 1
        self._pending[self._submitted] = _Pending(task, done)
        self._send(self._submitted)
        self.start()

    async def run(self, task: Task[_T]) -> _T:
        """Run ``task``, but not after `close`. Raises WorkerLostError."""
        result: _T = await result_of(partial(self.submit, task))
        return result

    async def close(self) -> bytes | None:
        """End the process without waiting for tasks; return its new solved positions if it hands them over in time."""
        solved = None
        if self._ended and self.pid is not None:
            try:
                solved = await asyncio.wait_for(self.run(ExportSolved()), self._export_seconds)
            except TimeoutError:
                self._log.warning("the worker did not hand over its solved positions in time")
            except WorkerLostError as error:
                self._log.warning("the worker died; its solved positions are lost", why=str(error))
        self._closed = True
        await self._child.close()
        return solved

    def _send_all(self) -> None:
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
        pending = self._pending[number]
        pending.sent = self._child.send((number, pending.task))

    def _handle_result(self, message: tuple[int, Any, int, WorkspaceState]) -> None:
        number, outcome, cost, self.state = message
        self._ended += 1
        was_suspect = self._pending[number].deaths > 0
        self._end(number, outcome, cost)
        if was_suspect:
            self._send_suspect()

    def _end(self, number: int, outcome: Any, cost: int = 0) -> None:
        # later, because an error in the callback must not harm other tasks
        asyncio.get_running_loop().call_soon(self._pending.pop(number).done, outcome, cost)

    def _handle_end(self, why: str, was_started: bool) -> None:
        self._log.warning("no worker process; starting another", why=why, tasks=len(self._pending))
        for number, pending in list(self._pending.items()):
            pending.deaths += pending.sent or not was_started
            pending.sent = False
            if pending.deaths == MAX_DEATHS:
                self._end(number, WorkerLostError(f"{MAX_DEATHS} worker processes were lost with this task; {why}"))
