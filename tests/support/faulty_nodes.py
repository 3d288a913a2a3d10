"""Nodes as processes, each with a clock and a way to PostgreSQL of its own, and what may happen to them."""

import asyncio
import os
import signal
import sys
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import psycopg

from support.cutting_proxy import CuttingProxy
from support.patience import PATIENCE
from support.requirements import fail_or_skip
from support.servers import START_SECONDS, Child, run_command
from support.waiting import think, until

PROGRAM = Path(__file__).with_name("faketime_server.py")
LEASE_SECONDS = 2
CLOCK_SECONDS = 10
OUTAGE_SECONDS = float(os.environ.get("EVILPEGS_OUTAGE_SECONDS", "3"))
"""How long PostgreSQL is stopped; more than a lease."""


def find_faketime():
    found = [*Path("/usr/lib").glob("*/faketime/libfaketime.so.1")]
    return (
        str(found[0]) if found else fail_or_skip("clocks are moved by libfaketime; on Debian: apt install libfaketime")
    )


class Node(Child):
    """A server of the name ``name``; what it logs is in the file ``log``."""

    def __init__(self, name, database, folder, program=PROGRAM):
        self.name, self.log = name, folder / f"{name}.log"
        self.offset = folder / f"{name}.offset"
        self.is_busy = False
        """True while something happens to it."""
        self.environment = {
            "EVILPEGS_LEASE_SECONDS": str(LEASE_SECONDS),
            "EVILPEGS_SERVER_KEY": str(folder / "key"),
            "XDG_DATA_HOME": str(folder / f"{name}.data"),
            "LD_PRELOAD": find_faketime(),
            "FAKETIME_TIMESTAMP_FILE": str(self.offset),
            "FAKETIME_CACHE_DURATION": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "PYTHONUNBUFFERED": "1",
        }
        arguments = ["serve", "--no-site", "--port", "0", "--database", database, "--node", name]
        self.command = [sys.executable, program, *arguments]
        self.url = ""
        self.move_clock(0)

    def move_clock(self, seconds):
        self.offset.write_text(f"{seconds:+}\n")

    async def start(self):
        """Start it, and again if it ends at once because PostgreSQL is not there."""
        async with asyncio.timeout(START_SECONDS):
            while not self.url:
                with self.log.open("ab") as log:
                    self.process = await asyncio.create_subprocess_exec(
                        *self.command, stdout=asyncio.subprocess.PIPE, stderr=log, env=os.environ | self.environment
                    )
                line = (await self.process.stdout.readline()).decode()
                if "ws://" in line:
                    self.url = line.split()[-1]
                elif not line:
                    await self.process.wait()
        return self

    def send(self, number):
        self.process.send_signal(number)

    async def kill(self):
        self.url = ""
        if self.process.returncode is None:
            self.process.kill()
        await self.ended()

    async def ended(self):
        async with asyncio.timeout(PATIENCE):
            await self.process.wait()


class FaultyNodes:
    """Nodes on the database at ``url``."""

    def __init__(self, cluster, url, folder, program=PROGRAM, names=("one", "two", "three")):
        self.cluster, self.url, self.folder = cluster, url, folder
        self._program, self._names = program, names
        self._stack, self._outage = AsyncExitStack(), asyncio.Lock()
        self.nodes, self.proxies = {}, {}

    async def __aenter__(self):
        await self._stack.__aenter__()
        sockets = self.url.partition("host=")[2]
        for name in self._names:
            proxy = CuttingProxy(Path(sockets).with_name(f"to-{name}"), sockets)
            self.proxies[name] = await self._stack.enter_async_context(proxy)
            node = Node(name, self.url.replace(sockets, str(proxy.folder)), self.folder, self._program)
            self.nodes[name] = node
            self._stack.push_async_callback(node.kill)
        await self.nodes["one"].start()  # it makes the key that all sign with
        await asyncio.gather(*(self.nodes[name].start() for name in self._names[1:]))
        return self

    async def __aexit__(self, *error):
        await self._stack.__aexit__(*error)

    def addresses(self):
        return [node.url for node in self.nodes.values() if node.url]

    async def connect(self):
        return await psycopg.AsyncConnection.connect(self.url, autocommit=True)

    async def read(self, statement, *parameters):
        """Return the rows of a statement, once the database is there."""

        async def rows():
            try:
                async with await self.connect() as connection:
                    return [await (await connection.execute(statement, parameters)).fetchall()]
            except psycopg.OperationalError:
                return None

        return (await until(rows))[0]

    async def until(self, statement, *parameters):
        """Wait until a statement returns a row."""
        await until(partial(self.read, statement, *parameters))

    async def run(self, *arguments):
        """Run a command on the database, again if it is not there; return what it prints."""

        async def printed():
            status, out, errors = await run_command(*arguments, "--database", self.url)
            assert "Traceback" not in errors, errors
            return None if status else [out]  # it may print nothing

        return (await until(printed))[0]

    # What may happen to a node

    async def kill(self, node):
        await node.kill()
        await node.start()

    async def stall(self, node):
        """Stop a node until the others have its matches."""
        node.send(signal.SIGSTOP)
        await self.until_adopted(node)
        node.send(signal.SIGCONT)

    async def replace(self, node):
        """Start another server of the same name while the first is stopped; the first ends when it goes on."""
        node.send(signal.SIGSTOP)
        first, node.url = node.process, ""
        await node.start()
        first.send_signal(signal.SIGCONT)
        async with asyncio.timeout(PATIENCE):
            await first.wait()
        assert "another server has begun as this node" in node.log.read_text()

    async def until_adopted(self, node):
        silent = "SELECT 1 FROM nodes WHERE name = %s AND seen < clock_timestamp() - lease"
        await self.until(f"{silent} AND NOT EXISTS (SELECT 1 FROM owners WHERE node = %s)", node.name, node.name)

    async def cut_before(self, node):
        async with asyncio.timeout(PATIENCE):
            await self.proxies[node.name].cut("before")

    async def cut_after(self, node):
        async with asyncio.timeout(PATIENCE):
            await self.proxies[node.name].cut("after")

    async def clock(self, node):
        """Move its clock back or forth, until it has written on."""
        written = "SELECT written FROM nodes WHERE name = %s"
        for seconds in (CLOCK_SECONDS, -CLOCK_SECONDS, 0):
            node.move_clock(seconds)
            ((before,),) = await self.read(written, node.name)
            await self.until(f"{written} AND written > %s + 20", node.name, before)

    async def name(self, node):
        """Start a second node of its name, which is refused."""
        environment, refused = os.environ | node.environment, ""
        async with asyncio.timeout(PATIENCE):
            while f"another server runs as the node {node.name}" not in refused:
                process = await asyncio.create_subprocess_exec(
                    *node.command, stderr=asyncio.subprocess.PIPE, env=environment
                )
                refused = (await process.communicate())[1].decode()
                assert process.returncode
                assert refused.count("\n") == 1, refused

    # What may happen to all

    async def database(self):
        """Stop PostgreSQL, and start it again."""
        async with self._outage:
            await asyncio.to_thread(self.cluster.stop, "immediate")
            await think(OUTAGE_SECONDS)  # longer than a lease
            await asyncio.to_thread(self.cluster.start)

    # What may happen to a player

    async def token(self, player):
        player.gets_token = True
        printed = await self.run("players", "token", player.name)
        player.new_token = printed.split()[-1].rpartition(",")[2]

    async def ban(self, player):
        await self.run("players", "ban", player.name)
