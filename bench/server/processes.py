"""Servers as child processes: the real one on a database of its own, and a bare echo of the same frames."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from evilpegs_server.work.priority import lower_priority

NICENESS = 15
"""The nice value of processes that stand for other machines."""
FEEDBACK = (
    '{"at":1795255677661,"black":0,"code":"1122","game":1,"left_ms":61000,"match":"cb1a222aecc8fbda",'
    '"seq":13,"took_ms":0,"turn":1,"type":"feedback","white":1}'
)
ECHO = f"""
import asyncio, json, uvloop
from websockets.asyncio.server import serve
feedback = '{FEEDBACK}'
async def play(ws):
    await ws.recv(); await ws.send('{{"type":"welcome"}}')
    await ws.recv(); await ws.send('{{"type":"game_started","match":"cb1a222aecc8fbda","game":1}}')
    await ws.recv(); turn = '{{"type":"turn","match":"cb1a222aecc8fbda","game":1,"turn":2,"left_ms":61000}}'
    await ws.send(turn)
    async for _ in ws:
        await ws.send(feedback)
        await ws.send(turn)
async def main():
    async with serve(play, "127.0.0.1", 0, compression=None) as server:
        port = server.sockets[0].getsockname()[1]
        print(f"listening on ws://127.0.0.1:{{port}}/v1", flush=True)
        await asyncio.Future()
uvloop.run(main())
"""


class ServerProcess(NamedTuple):
    """The address of the games of a server, its process id, and its standard output after that address."""

    url: str
    pid: int
    output: IO[str]

    def loop_seconds(self) -> float:
        """Return the seconds of processor time that the main thread, which runs the event loop, has used so far."""
        return loop_and_threads(self.pid)[0]

    def mebibytes(self) -> float:
        """Return the memory of the process."""
        return mebibytes(self.pid)

    def show_mebibytes(self) -> float:
        """Return the memory of the show process."""
        return mebibytes(next(filter(is_show, children(self.pid))))

    def site(self) -> str:
        """Return the address of the site, which is the next line of output."""
        return next(self.output).split()[-1]


class Usage(Counter[str]):
    """Seconds of processor time of the processes of a server."""

    names = ("game: loop", "game: threads", "worker", "show: loop", "show: threads", "show: worker", "bots")
    short = ("game", "threads", "worker", "show", "threads", "worker", "bots")

    @classmethod
    def of(cls, pid: int) -> "Usage":
        """Return what a server and its children have used so far."""
        used = cls()
        used["game: loop"], used["game: threads"] = loop_and_threads(pid)
        for process in children(pid):
            if is_show(process):
                used["show: loop"], used["show: threads"] = loop_and_threads(process)
                for worker in children(process):
                    used["show: worker"] += sum(loop_and_threads(worker))
            else:
                used["worker"] += sum(loop_and_threads(process))
        return used

    def __sub__(self, other: "Usage") -> "Usage":
        return Usage({name: self[name] - other[name] for name in self})


def loop_and_threads(pid: int) -> tuple[float, float]:
    """Return the seconds that the main thread of a process has used, and those of its other threads."""
    seconds = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            seconds[int(task.name)] = int((task / "schedstat").read_text().split()[0]) / 1e9
    main = seconds.pop(pid, 0.0)
    return main, sum(seconds.values())


def children(pid: int) -> list[int]:
    """Return the children that the main thread of a process has started."""
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def bind(pid: int, processor: int) -> None:
    """Let all threads of a process run on one processor only."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), {processor})


def is_show(pid: int) -> bool:
    """Return whether a process is the show of a server."""
    return b"evilpegs_server.show_server" in Path(f"/proc/{pid}/cmdline").read_bytes()


def idle_seconds() -> float:
    """Return the seconds in which processors of this machine had nothing to do, added up."""
    return int(Path("/proc/stat").read_text().split()[4]) / os.sysconf("SC_CLK_TCK")


def mebibytes(pid: int) -> float:
    """Return the resident memory of a process."""
    return int(Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()[0]) / 1024


def start_niced(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a program that the server precedes for processor time."""
    return subprocess.Popen(command, preexec_fn=partial(lower_priority, NICENESS), **options)  # noqa: PLW1509 - no threads


@contextlib.contextmanager
def niced(command: Sequence[str], **options: Any) -> Iterator[None]:
    """Run a program that stands for another machine: the server precedes it."""
    process = start_niced(command, stderr=subprocess.DEVNULL, **options)
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)


@contextlib.contextmanager
def broker() -> Iterator[int]:
    """Run mosquitto on a free port; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "mosquitto.conf"
        config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n")
        with niced(["mosquitto", "-c", config]):
            for _ in range(100):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield port


@contextlib.contextmanager
def echo() -> Iterator[ServerProcess]:
    """Run the bare echo server on uvloop."""
    with child([sys.executable, "-c", ECHO]) as server:
        yield server


@contextlib.contextmanager
def evilpegs(*options: str, site: bool = False) -> Iterator[ServerProcess]:
    """Run the real server on a fresh database on disk."""
    with tempfile.TemporaryDirectory() as folder:
        ports = ["--port", "0", *(("--site-port", "0") if site else ("--no-site",))]
        database = f"sqlite:///{folder}/bench.sqlite3"
        with child([sys.executable, "-m", "evilpegs", "serve", *ports, "--database", database, *options]) as server:
            yield server


@contextlib.contextmanager
def child(command: Sequence[str]) -> Iterator[ServerProcess]:
    """Start a server, yield it when it listens, and stop it."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            line = next((line for line in process.stdout if line.startswith("listening on ")), None)
            if line is None:
                raise RuntimeError(f"the server ended before it listened: {' '.join(command)}")
            yield ServerProcess(line.split()[-1], process.pid, process.stdout)
        finally:
            process.terminate()
            process.wait(15)
