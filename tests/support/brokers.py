"""A real mosquitto on a private port, a subscriber that keeps every message, and a proxy that can stall or cut."""

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import aiomqtt
import pytest

from support.patience import PATIENCE
from support.waiting import think, until

PATH = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/sbin"
"""The directories in which programs are searched; on Debian, the broker is in one that only root searches."""


def require_mosquitto(*programs):
    """Skip the test if one of ``programs``, by default mosquitto, is missing; in CI, fail it."""
    for program in programs or ("mosquitto",):
        if shutil.which(program, path=PATH) is None:
            missing = f"the feed needs {program}; on Debian: apt install mosquitto mosquitto-clients"
            (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Mosquitto:
    """A broker that can be killed and started again on the same port.

    ``extra`` are further lines of its configuration file, which is in ``folder``.
    """

    def __init__(self, folder, *extra):
        require_mosquitto()
        self.folder, self.port, self.process = Path(folder), free_port(), None
        self.configure(*extra)

    @property
    def url(self):
        return f"mqtt://127.0.0.1:{self.port}"

    def configure(self, *extra):
        """Write the configuration that the next start uses."""
        anonymous = [] if any(line.startswith("password_file") for line in extra) else ["allow_anonymous true"]
        lines = [
            f"listener {self.port} 127.0.0.1",
            "set_tcp_nodelay true",
            "max_queued_messages 0",
            "log_type all",
            "user root",
        ]
        (self.folder / "mosquitto.conf").write_text("\n".join([*lines, *anonymous, *extra, ""]))

    async def start(self):
        with (self.folder / "mosquitto.log").open("ab") as log:
            command = (shutil.which("mosquitto", path=PATH), "-c", str(self.folder / "mosquitto.conf"))
            self.process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: ASYNC220 - it forks at once
        await until(self._listens)
        return self

    async def _listens(self):
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.close()
            return True

    def kill(self):
        """Kill the broker as a crash would, so that everything in its memory is lost."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def reload(self):
        """Make the broker read its files of users and rights again."""
        self.process.send_signal(signal.SIGHUP)

    async def wait_for_log(self, words, count):
        """Wait until the log of the broker contains ``words`` at least ``count`` times."""
        await until(lambda: self.log_text.count(words) >= count)

    @property
    def log_text(self):
        return (self.folder / "mosquitto.log").read_text()

    def set_password(self, user, password):
        """Create a password file for one user, and return the line of the configuration that allows only this user."""
        place = self.folder / "passwords"
        subprocess.run(["mosquitto_passwd", "-c", "-b", place, user, password], check=True, capture_output=True)
        return f"password_file {place}"


class Subscriber:
    """A subscriber that keeps every message in ``received`` as (topic, payload, message).

    It connects again when the broker has been away. ``matches`` has the ids of the matches whose result has arrived.
    """

    def __init__(self, port, *topics, qos=1, host="127.0.0.1", **options):
        self.host = host
        self.qos, self.port, self.topics, self.options = qos, port, topics or ("evilpegs/#",), options
        self.matches = set()
        self.received, self._task = [], None
        self.online, self.offline = asyncio.Event(), asyncio.Event()

    async def __aenter__(self):
        self._task = asyncio.create_task(self._run())
        await self.wait_online()
        return self

    async def __aexit__(self, *_):
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def wait_offline(self):
        async with asyncio.timeout(PATIENCE):
            await self.offline.wait()

    async def wait_online(self):
        async with asyncio.timeout(PATIENCE):
            await self.online.wait()

    async def wait_for(self, condition):
        """Wait until ``condition`` returns a true value for this subscriber, and return this value."""
        return await until(lambda: condition(self))

    def payloads(self, *ending):
        """Return the payloads of the topics that end in one of the words ``ending``, in the order of arrival.

        Results are those of matches; the newest of each ladder is left out.
        """
        shown = [each for each in self.received if not re.search("/ladder/.*/result", each[0])]
        return [payload for topic, payload, _ in shown if topic.rsplit("/", 1)[-1] in ending]

    async def _run(self):
        while True:
            with contextlib.suppress(aiomqtt.MqttError):
                protocol = aiomqtt.ProtocolVersion.V5
                async with aiomqtt.Client(self.host, self.port, protocol=protocol, **self.options) as client:
                    for topic in self.topics:
                        await client.subscribe(topic, qos=self.qos)
                    self.online.set()
                    self.offline.clear()
                    async for message in client.messages:
                        self.received.append((message.topic.value, message.payload, message))
                        if message.topic.value.endswith("/result") and "/match/" in message.topic.value:
                            self.matches.add(message.topic.value.split("/")[4])
            self.online.clear()
            self.offline.set()
            await think(0.01)


def keys(payloads):
    """Return the id of the match and the number of each event, from payloads in JSON."""
    return [(event["match"], event["seq"]) for event in map(json.loads, payloads)]


class Proxy:
    """A TCP proxy on a port of its own that can refuse connections, stop reading, or cut all connections."""

    def __init__(self, target):
        self._target, self._server, self._pipes = target, None, set()
        self._flows, self.accepts = asyncio.Event(), True
        self._flows.set()

    async def __aenter__(self):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        listener.bind(("127.0.0.1", 0))
        self._server = await asyncio.start_server(self._accept, sock=listener)
        self.port = listener.getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self._server.close()
        await self.cut()

    def stall(self):
        """Stop reading, so that buffers fill up."""
        self._flows.clear()

    def flow(self):
        self._flows.set()

    async def cut(self):
        """Cut every connection."""
        pipes, self._pipes = self._pipes, set()
        for pipe in pipes:
            pipe.cancel()
        await asyncio.gather(*pipes, return_exceptions=True)

    async def _accept(self, reader, writer):
        if not self.accepts:
            writer.close()
            return
        try:
            onward_reader, onward_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        for source, sink in ((reader, onward_writer), (onward_reader, writer)):
            self._pipes.add(asyncio.create_task(self._pipe(source, sink)))

    async def _pipe(self, source, sink):
        try:
            while chunk := await source.read(65536):
                await self._flows.wait()
                sink.write(chunk)
                await sink.drain()
        except OSError:
            pass
        finally:
            sink.close()
