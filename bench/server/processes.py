"""Servers as child processes: the real one on a database of its own, and a bare echo of the same frames."""

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

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
        nanoseconds, _, _ = Path(f"/proc/{self.pid}/task/{self.pid}/schedstat").read_text().split()
        return int(nanoseconds) / 1e9

    def mebibytes(self) -> float:
        """Return the memory of the process."""
        return mebibytes(self.pid)

    def show_mebibytes(self) -> float:
        """Return the memory of the show process."""
        for child in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split():
            if b"evilpegs_server.show_server" in Path("/proc", child, "cmdline").read_bytes():
                return mebibytes(int(child))
        raise RuntimeError("there is no show process")

    def site(self) -> str:
        """Return the address of the site, which is the next line of output."""
        return next(self.output).split()[-1]


def mebibytes(pid: int) -> float:
    """Return the resident memory of a process."""
    return int(Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()[0]) / 1024


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
