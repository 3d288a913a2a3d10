"""What `deploy/` describes, on this machine: its services as processes and its proxy, at free ports of loopback."""

import asyncio
import os
import re
import shutil
import signal
import socket
import subprocess
from collections import Counter
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from support.certificates import make_certificate, trust
from support.patience import PATIENCE
from support.requirements import fail_or_skip
from support.servers import Child, ForkedProcess

DEPLOY = Path(__file__).parents[2] / "deploy"
CERTIFICATE = "/usr/local/etc/haproxy/tls.pem"
METRICS = ("/metrics", "/%6detrics", "/m%65tric%73", "/metrics?x")
"""Targets that a proxy must refuse."""


def read_compose(**values):
    """Return the document of compose.yaml with ``values`` in place of its variables."""
    text = (DEPLOY / "compose.yaml").read_text()
    return yaml.safe_load(re.sub(r"\$\{(\w+):\?[^}]*\}", lambda found: values.get(found[1], found[0]), text))


def find_haproxy():
    return shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin") or fail_or_skip(
        "the proxy of deploy/ is haproxy; on Debian: apt install haproxy"
    )


def replaced(text, replacements):
    """Return the text with all replacements, each of something that is there."""
    for old, new in replacements.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


class Proxy:
    """haproxy with deploy/haproxy.cfg; ``servers`` maps each address of the file to that of a process."""

    def __init__(self, folder):
        self.certificate, key = make_certificate(folder, "proxy")
        self.tls = trust(self.certificate)
        self._pem, self._file, self._log = folder / "proxy-tls.pem", folder / "haproxy.cfg", folder / "haproxy.log"
        self._pem.write_bytes(self.certificate.read_bytes() + key.read_bytes())
        # listening now, so that the addresses of the nodes can be known before the proxy runs
        self._plain, self._secure = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
        self.plain_port, self.port = (each.getsockname()[1] for each in (self._plain, self._secure))
        self.site_url, self.url = f"https://localhost:{self.port}/", f"wss://localhost:{self.port}/v1"

    @property
    def log(self):
        return self._log.read_text()

    @contextmanager
    def running(self, servers):
        descriptors = self._plain.fileno(), self._secure.fileno()
        binds = {f"bind :{port}": f"bind fd@{number}" for port, number in zip((8080, 8443), descriptors, strict=True)}
        text = replaced((DEPLOY / "haproxy.cfg").read_text(), {CERTIFICATE: str(self._pem)} | binds | servers)
        self._file.write_text(text)
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                [find_haproxy(), "-db", "-f", self._file], stdout=log, stderr=log, pass_fds=descriptors
            )
        try:
            yield self
        finally:
            process.kill()
            process.wait(PATIENCE)

    def close(self):
        self._plain.close()
        self._secure.close()


@asynccontextmanager
async def asked(proxy, target, address="127.0.0.1"):
    """Yield the status of a request from this address of loopback, for a target that no library rewrites."""
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", proxy.port, ssl=proxy.tls, server_hostname="localhost", local_addr=(address, 0)
    )
    try:
        writer.write(f"GET {target} HTTP/1.1\r\nHost: localhost:{proxy.port}\r\n\r\n".encode())
        async with asyncio.timeout(PATIENCE):
            yield int((await reader.readline()).split()[1])
    finally:
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()


async def take_all_streams(proxy):
    """Open more streams than a visitor may have, and assert that another one gets all they ask for meanwhile."""
    async with AsyncExitStack() as stack:

        async def status(target, address):
            return await stack.enter_async_context(asked(proxy, target, address))

        streams = Counter([await status("/api/v1/events", "127.0.0.2") for _ in range(320)])
        assert streams == {200: 300, 429: 20}
        assert await status("/api/v1/ladders", "127.0.0.2") == 429
        for path in ("/", "/api/v1/ladders", "/api/v1/events"):
            assert await status(path, "127.0.0.3") == 200


class Service(Child):
    """A service of compose.yaml as a child process; ``url`` is the address of its game or else of its site."""

    def __init__(self, command, environment):
        self.command, self._environment = command, environment
        self.url = ""

    async def launch(self):
        return await ForkedProcess().start(None, self.command, self._environment)

    @property
    def address(self):
        return urlsplit(self.url).netloc

    async def _read_addresses(self):
        while not self.url:
            line = (await self.process.stdout.readline()).decode()
            assert line, (await self.process.communicate())[1].decode()
            self.url = line.split()[-1] if "ws://" in line or "the site is" in line else ""


class Deployment:
    """The services and the proxy of `deploy/`, on an empty database of PostgreSQL."""

    def __init__(self, database, folder):
        self.database, self.folder, self.proxy = database, folder, Proxy(folder)
        values = {
            "EVILPEGS_DOMAIN": f"localhost:{self.proxy.port}",
            "EVILPEGS_CERTIFICATE": CERTIFICATE,
            "EVILPEGS_DATABASE_PASSWORD": "password",
        }
        self._services = read_compose(**values)["services"]
        self.one, self.two, self.show = map(self._service, ("one", "two", "show"))

    @property
    def nodes(self):
        return {"one": self.one, "two": self.two}

    def _service(self, name):
        service = self._services[name]
        at_proxy = self._services["proxy"]["networks"]["default"]["ipv4_address"]
        environment = {
            key: value.replace("/data", str(self.folder)).replace(at_proxy, "127.0.0.1")
            for key, value in service["environment"].items()
        }
        program, *arguments = service["command"]
        assert program == "/opt/evilpegs/bin/evilpegs"
        here = {
            "EVILPEGS_DATABASE": self.database,
            "EVILPEGS_PORT": "0",
            "EVILPEGS_SITE_PORT": "0",
            "EVILPEGS_LEASE_SECONDS": "2",
            "XDG_DATA_HOME": str(self.folder),
        }
        return Service(arguments, environment | here)

    @asynccontextmanager
    async def running(self):
        """Run all of it, in the order of compose.yaml."""
        tables = await self._service("tables").launch()
        async with asyncio.timeout(PATIENCE):
            _, errors = await tables.communicate()
        assert tables.returncode == 0, errors.decode()
        async with AsyncExitStack() as stack:
            stack.callback(self.proxy.close)
            for each in (self.one, self.two, self.show):
                await each.start()
                stack.push_async_callback(each.stop, signal.SIGKILL)
            addresses = (self.one.address, self.two.address, self.show.address)
            names = ("172.28.5.11:8765", "172.28.5.12:8765", "172.28.5.13:8000")
            stack.enter_context(self.proxy.running(dict(zip(names, addresses, strict=True))))
            yield self
