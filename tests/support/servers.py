"""Real servers on real sockets as child processes, and a client that knows only JSON."""

import asyncio
import atexit
import contextlib
import functools
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from websockets.asyncio.client import connect

from support.patience import PATIENCE

FORKING = Path(__file__).with_name("forking_server.py")


class Raw:
    """A connection that sends and receives JSON without the models of the protocol."""

    _names = itertools.count(1)

    def __init__(self, socket):
        self.socket = socket
        self.token = None
        self.said_at = self.heard_at = 0.0
        """By the clock of the loop."""

    async def send(self, frame):
        await self.socket.send(frame)

    async def say(self, **message):
        self.said_at = asyncio.get_running_loop().time()
        await self.socket.send(json.dumps(message))

    async def hear(self, *types):
        """Return the next message, or with ``types`` the next message of these types."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = json.loads(await self.socket.recv())
                self.heard_at = asyncio.get_running_loop().time()
                if not types or message["type"] in types:
                    return message

    async def ask(self, *types, **message):
        await self.say(**message)
        return await self.hear(*types)

    async def hello(self, name=None, token=None):
        fields = {"client": {"name": "raw", "version": "1"}}
        if token:
            fields["token"] = token
        elif name is not False:
            fields |= {"name": name or f"raw{next(self._names)}x", "kind": "bot"}
        welcome = await self.ask("welcome", type="hello", **fields)
        self.token = welcome.get("token", token)
        return welcome

    async def play(self, ladder):
        """Begin a match and its first game; return the id of the match."""
        started = await self.ask("match_started", type="play", ladder=ladder)
        await self.hear("game_started")
        await self.ready(started["match"], 1)
        return started["match"]

    async def ready(self, match, game):
        return await self.ask("turn", type="ready", match=match, game=game)

    async def guess(self, match, game, turn, code):
        return await self.ask("feedback", "error", type="guess", match=match, game=game, turn=turn, code=code)

    async def closed(self):
        """Wait until the server has closed the connection; return the close code."""
        async with asyncio.timeout(PATIENCE):
            await self.socket.wait_closed()
        return self.socket.close_code


@contextlib.asynccontextmanager
async def dial(url, **options):
    """Open a connection during the block, and yield it as `Raw`."""
    async with connect(url, compression=None, open_timeout=PATIENCE, ping_timeout=PATIENCE, **options) as socket:
        yield Raw(socket)


class ChildNotStartedError(Exception):
    """An error raised when a server ends before it listens, with its exit ``status`` and its ``errors`` on stderr."""

    def __init__(self, status, errors):
        super().__init__(f"status {status}: {errors}")
        self.status, self.errors = status, errors


START_SECONDS = 2 * PATIENCE
"""The longest time until a child listens, in seconds; the first one on a new machine compiles its kernels."""


@functools.cache
def _forking_server():
    """Return a socket of the process from which servers are forked; it ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        number = theirs.fileno()
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen([sys.executable, FORKING, str(number)], pass_fds=[number], env=environment)

    def end():
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


async def _open_pipe(stack):
    """Return a reader, and the descriptor to which another process is to write what is read."""
    inner, outer = os.pipe()
    stack.callback(os.close, outer)
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(inner, "rb"))
    return reader, outer


class ForkedProcess:
    """A process that was forked from another one, as `asyncio.subprocess.Process` would show it."""

    async def start(self, program, arguments, environment=None):
        request = {
            "program": program and str(program),
            "arguments": arguments,
            "environment": os.environ | (environment or {}),
            "folder": str(Path.cwd()),
        }
        with contextlib.ExitStack() as stack:
            (self.stdout, output), (self.stderr, errors), (status, state) = [await _open_pipe(stack) for _ in range(3)]
            message = json.dumps(request).encode()
            await asyncio.to_thread(socket.send_fds, _forking_server(), [message], [output, errors, state])
        self.returncode, self.pid = None, int(await status.readline())
        self._ended = asyncio.create_task(self._wait(status))
        return self

    async def _wait(self, status):
        self.returncode = int(await status.readline())
        await status.read()

    def send_signal(self, number):
        if self.returncode is None:
            os.kill(self.pid, number)

    async def wait(self):
        await asyncio.shield(self._ended)
        return self.returncode

    async def communicate(self):
        return (await asyncio.gather(self.stdout.read(), self.stderr.read(), self.wait()))[:2]


async def run_command(*words):
    """Run a command of evilpegs in a forked process; return the exit status and what it prints, out and errors."""
    process = await ForkedProcess().start(None, [str(word) for word in words])
    async with asyncio.timeout(PATIENCE):
        out, errors = await process.communicate()
    return process.returncode, out.decode(), errors.decode()


class Child:
    """A child process that runs a server and can be killed.

    ``program`` is the file of a Python program that starts evilpegs, or nothing. The server is forked from a process
    that has imported everything. With ``fresh``, ``program`` are arguments of a new Python process.
    """

    def __init__(self, database, *program, site=False, fresh=False):
        self._program, self._is_fresh = program, fresh
        has_site = ("--site-port", "0") if site else ("--no-site",)
        self.command = ["serve", *has_site, "--port", "0", "--database", database]
        self._has_site = site
        self.url = self.site_url = ""

    async def launch(self):
        """Return the process once it runs."""
        if not self._is_fresh:
            return await ForkedProcess().start(*(self._program or [None]), self.command)
        command = [sys.executable, *(self._program or ("-m", "evilpegs")), *self.command]
        pipes = {"stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.PIPE}
        return await asyncio.create_subprocess_exec(*command, **pipes, env=os.environ | {"PYTHONUNBUFFERED": "1"})

    async def start(self):
        self.process = await self.launch()
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._read_addresses()
        except TimeoutError:
            await self.stop(signal.SIGKILL)
            raise
        return self

    async def _read_addresses(self):
        while not self.url or (self._has_site and not self.site_url):
            line = (await self.process.stdout.readline()).decode()
            if not line:
                _, errors = await self.process.communicate()
                raise ChildNotStartedError(self.process.returncode, errors.decode())
            if "ws://" in line:
                self.url = line.split()[-1]
            elif "http://" in line:
                self.site_url = line.split()[-1]

    async def stop(self, number):
        """Send the signal ``number`` and wait for the end; return the exit status and the text on stderr."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        async with asyncio.timeout(PATIENCE):
            _, errors = await self.process.communicate()
        self.url = ""
        return self.process.returncode, errors.decode()


@contextlib.asynccontextmanager
async def child_server(database, *program, site=False, fresh=False):
    """Run a server in a child process during the block and yield it; after the block the process has ended."""
    child = await Child(database, *program, site=site, fresh=fresh).start()
    try:
        yield child
    finally:
        if child.process.returncode is None:
            await child.stop(signal.SIGKILL)
