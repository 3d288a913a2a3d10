"""Real servers on real sockets as child processes, and a client that knows only JSON."""

import asyncio
import contextlib
import itertools
import json
import os
import signal
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


class Child:
    """A child process that runs a server and can be killed.

    ``program`` are the arguments of Python that start evilpegs, by default ``-m evilpegs``.
    """

    def __init__(self, database, *program, site=False):
        self.command = [
            sys.executable,
            *(program or ("-m", "evilpegs")),
            "serve",
            *(("--site-port", "0") if site else ("--no-site",)),
            "--port",
            "0",
            "--database",
            database,
        ]
        self._has_site = site
        self.url = self.site_url = ""

    async def start(self):
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        self.process = await asyncio.create_subprocess_exec(
            *self.command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=environment
        )
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
async def child_server(database, *program, site=False):
    """Run a server in a child process during the block and yield it; after the block the process has ended."""
    child = await Child(database, *program, site=site).start()
    try:
        yield child
    finally:
        if child.process.returncode is None:
            await child.stop(signal.SIGKILL)


class Forked:
    """A server in a forked process that can be killed; it starts fast, because it imports nothing."""

    def __init__(self, forking):
        self._forking = forking
        self.is_running = False

    async def start(self, database):
        self._forking.stdin.write(f"{database}\n".encode())
        self._pid = int(await self._last_word("forked "))
        self.is_running = True
        self.url = await self._last_word("ws://")
        return self

    async def stop(self, number):
        """Send the signal ``number`` and wait for the end; return the exit status."""
        os.kill(self._pid, number)
        return int(await self._last_word("ended "))

    async def _last_word(self, mark):
        """Return the last word of the next line that contains ``mark``."""
        async with asyncio.timeout(PATIENCE):
            while True:
                line = (await self._forking.stdout.readline()).decode()
                if line.startswith("ended "):
                    self.is_running = False
                if mark in line:
                    return line.split()[-1]
                assert line, f"no line with {mark!r}"
                assert not line.startswith("ended "), line


@contextlib.asynccontextmanager
async def forking_servers():
    """Yield a function that returns a context manager, which runs a server on a database during its own block.

    The servers are forked from one process, which ends after the outer block.
    """
    pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
    forking = await asyncio.create_subprocess_exec(sys.executable, FORKING, **pipes)

    @contextlib.asynccontextmanager
    async def forked_server(database):
        forked = Forked(forking)
        try:
            yield await forked.start(database)
        finally:
            if forked.is_running:
                await forked.stop(signal.SIGKILL)

    try:
        yield forked_server
    finally:
        forking.stdin.close()
        await forking.wait()
