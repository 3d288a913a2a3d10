"""`evilpegs serve` in a child process that never outlives this process, and an orderly end on signals."""

import asyncio
import ctypes
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evilpegs.errors import CommandError

START_SECONDS: Final = 120.0  # on a fresh machine the server compiles its kernels first
STOP_SECONDS: Final = 15.0
GREETING: Final = "listening on "
SITE_GREETING: Final = "the site is "
END_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)
_PR_SET_PDEATHSIG: Final = 1


@dataclass(frozen=True, slots=True)
class ServerAddresses:
    """The URLs of a server: ws:// for players' clients, and http:// for browsers."""

    game: str
    site: str


@asynccontextmanager
async def child_server(database: str, log: Path) -> AsyncIterator[ServerAddresses]:
    """Run a server on free ports during the block; an error has the last line of its log."""
    with log.open("wb") as errors:
        server = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "evilpegs", "serve", "--port", "0", "--database", database),
            *("--site", "--site-port", "0"),
            stdout=PIPE,
            stderr=errors,
            process_group=0,  # a Ctrl-C in the terminal does not reach the server
            preexec_fn=_end_with_parent,
        )
        try:
            game = await _read_address(server, log, GREETING)
            yield ServerAddresses(game, await _read_address(server, log, SITE_GREETING))
        finally:
            status = await _stop(server)
    if status != 0:
        raise CommandError(f"the server ended with status {status}: {_last_line(log)}")


def _end_with_parent() -> None:
    # the kernel sends SIGTERM when the parent ends, even if SIGKILL ends it
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


async def _read_address(server: Process, log: Path, greeting: str) -> str:
    assert server.stdout is not None  # noqa: S101 - it is a pipe
    try:
        line = await asyncio.wait_for(server.stdout.readline(), START_SECONDS)
    except TimeoutError:
        line = b""
    if not line.startswith(greeting.encode()):
        raise CommandError(f"the server did not start: {_last_line(log)}")
    return line.decode().removeprefix(greeting).strip()


async def _stop(server: Process) -> int:
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


async def wait_for_interrupt() -> None:
    """Wait until Ctrl-C is pressed, and return without raising KeyboardInterrupt."""
    loop, interrupted = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGINT, interrupted.set)
    try:
        await interrupted.wait()
    finally:
        loop.remove_signal_handler(signal.SIGINT)


@contextmanager
def cancel_on_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP cancel the current task; the exit status is then 128 plus the signal."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine always runs in a task
    received: list[signal.Signals] = []

    def stop(number: signal.Signals) -> None:
        received.append(number)
        task.cancel()

    for number in END_SIGNALS:
        loop.add_signal_handler(number, stop, number)
    try:
        yield
    except asyncio.CancelledError:
        if received:
            raise SystemExit(128 + received[0]) from None
        raise
    finally:
        for number in END_SIGNALS:
            loop.remove_signal_handler(number)
