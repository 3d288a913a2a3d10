"""A real `evilpegs serve` in a process of its own that never outlives this one.

Ending in order when the process is told to stop.
"""

import asyncio
import ctypes
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

from evilpegs.errors import CommandError

START_SECONDS: Final = 120.0
"""On a fresh machine the kernels are compiled first."""
STOP_SECONDS: Final = 15.0
GREETING: Final = "listening on "
_PR_SET_PDEATHSIG: Final = 1


@asynccontextmanager
async def child_server(database: str, log: Path) -> AsyncIterator[str]:
    """The address of a server on a free port, for as long as the block lasts; SIGTERM ends it.

    Raises:
        CommandError: it did not start, or did not stop with exit status 0; with the last line of its log.
    """
    with log.open("wb") as errors:
        server = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "evilpegs", "serve", "--port", "0", "--database", database),
            stdout=PIPE,
            stderr=errors,
            preexec_fn=_end_with_parent,
        )
        try:
            yield await _address(server, log)
        finally:
            status = await _stop(server)
    if status != 0:
        message = f"the server ended with status {status}: {_last_line(log)}"
        raise CommandError(message)


def _end_with_parent() -> None:
    """Ask the kernel to end this process when its parent is gone, even by SIGKILL."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


async def _address(server: Process, log: Path) -> str:
    assert server.stdout is not None  # noqa: S101 - it is a pipe
    try:
        line = await asyncio.wait_for(server.stdout.readline(), START_SECONDS)
    except TimeoutError:
        line = b""
    if not line.startswith(GREETING.encode()):
        message = f"the server did not start: {_last_line(log)}"
        raise CommandError(message)
    return line.decode().removeprefix(GREETING).strip()


async def _stop(server: Process) -> int:
    """End the server if it still runs; its exit status."""
    if server.returncode is None:
        server.terminate()
    try:
        return await asyncio.wait_for(server.wait(), STOP_SECONDS)
    except TimeoutError:
        server.kill()
        return await server.wait()


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "it said nothing")


SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def cancel_on_signals() -> Iterator[None]:
    """Cancel the task that is running when SIGTERM or SIGHUP comes, as Ctrl-C does anyway.

    Raises:
        SystemExit: with the status that a process ended by that signal has, once everything is tidied up.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None  # noqa: S101 - there is one wherever a coroutine runs
    received: list[signal.Signals] = []

    def stop(number: signal.Signals) -> None:
        received.append(number)
        task.cancel()

    for number in SIGNALS:
        loop.add_signal_handler(number, stop, number)
    try:
        yield
    except asyncio.CancelledError:
        if received:
            raise SystemExit(128 + received[0]) from None
        raise
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
