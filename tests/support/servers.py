"""A real server on a real socket, in this process or as a child, and a client that knows nothing but JSON."""

import asyncio
import contextlib
import itertools
import json
import os
import signal
import sys
from pathlib import Path

from websockets.asyncio.client import connect

PATIENCE = 20
"""Seconds after which a message that does not come is a failure."""
FORKING = Path(__file__).with_name("forking_server.py")


class Raw:
    """A connection on which one says and hears plain JSON."""

    _names = itertools.count(1)

    def __init__(self, socket):
        self.socket = socket
        self.token = None

    async def send(self, frame):
        await self.socket.send(frame)

    async def say(self, **message):
        await self.socket.send(json.dumps(message))

    async def hear(self, *types):
        """The next message; with ``types`` the next one of these."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = json.loads(await self.socket.recv())
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
        """Begin a match and its first game; the match's id."""
        started = await self.ask("match_started", type="play", ladder=ladder)
        await self.hear("game_started")
        await self.ready(started["match"], 1)
        return started["match"]

    async def ready(self, match, game):
        return await self.ask("turn", type="ready", match=match, game=game)

    async def guess(self, match, game, turn, code):
        return await self.ask("feedback", "error", type="guess", match=match, game=game, turn=turn, code=code)

    async def closed(self):
        """Wait until the server has closed; the close code."""
        async with asyncio.timeout(PATIENCE):
            await self.socket.wait_closed()
        return self.socket.close_code


@contextlib.asynccontextmanager
async def dial(url, **options):
    """A connection, closed at the end of the block."""
    async with connect(url, compression=None, **options) as socket:
        yield Raw(socket)


class Child:
    """A server in a process of its own, to be killed."""

    def __init__(self, database, *program):
        self.command = [
            sys.executable,
            *(program or ("-m", "evilpegs")),
            "serve",
            "--port",
            "0",
            "--database",
            database,
        ]
        self.url = ""

    async def start(self):
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        self.process = await asyncio.create_subprocess_exec(
            *self.command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=environment
        )
        async with asyncio.timeout(60):
            while not self.url:
                line = (await self.process.stdout.readline()).decode()
                assert line, (await self.process.stderr.read()).decode()
                if line.startswith("listening on "):
                    self.url = line.split()[-1]
        return self

    async def stop(self, number):
        """Send a signal and wait for the end; exit status and what was written to stderr."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        async with asyncio.timeout(30):
            _, errors = await self.process.communicate()
        self.url = ""
        return self.process.returncode, errors.decode()


@contextlib.asynccontextmanager
async def child_server(database, *program):
    """A child that is gone at the end of the block, however it ends."""
    child = await Child(database, *program).start()
    try:
        yield child
    finally:
        if child.process.returncode is None:
            await child.stop(signal.SIGKILL)


class Forked:
    """A server in a process of its own that begins at once, to be killed."""

    def __init__(self, forking):
        self._forking = forking
        self.is_running = False

    async def start(self, database):
        self._forking.stdin.write(f"{database}\n".encode())
        self._pid = int(await self._told("forked "))
        self.is_running = True
        self.url = await self._told("listening on ")
        return self

    async def stop(self, number):
        """Send a signal and wait for the end; the exit status."""
        os.kill(self._pid, number)
        return int(await self._told("ended "))

    async def _told(self, what):
        async with asyncio.timeout(120):
            while True:
                line = (await self._forking.stdout.readline()).decode()
                if line.startswith("ended "):
                    self.is_running = False
                if line.startswith(what):
                    return line.removeprefix(what).strip()
                assert line, f"{what}was not told"
                assert not line.startswith("ended "), line


@contextlib.asynccontextmanager
async def forking_servers():
    """What starts one server after the other on a database, each gone at the end of its block."""
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
