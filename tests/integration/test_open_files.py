"""A server raises the limit of open files, and what that allows is enough for its connections and its own files."""

import asyncio
import contextlib
import resource
import signal
from urllib.parse import urlsplit

import pytest

from evilpegs_server.listening import OWN_FILES, fit
from support.patience import PATIENCE
from support.servers import child_server, dial

FILES, CONNECTIONS = 128, 200
FEW = 256
WITH_FEW_FILES = (
    "-c",
    f"""
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({FEW}, {FEW}))
sys.argv[0] = "evilpegs"
runpy.run_module("evilpegs", run_name="__main__")
""",
)
ASK = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def few_files():
    """What this process starts may open few files, unless it asks for more; yield a function that ends this."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    def end():
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))
    yield end
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_site_takes_more_connections_than_soft_limit(database, few_files):
    async with child_server(database, site=True, fresh=True) as server, contextlib.AsyncExitStack() as stack:
        few_files()
        address = urlsplit(server.site_url)
        for _ in range(CONNECTIONS):
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
            stack.callback(writer.close)
            writer.write(ASK)
            async with asyncio.timeout(PATIENCE):
                assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")


async def test_full_server_keeps_files_for_itself(database, monkeypatch):
    monkeypatch.setenv("EVILPEGS_RESERVE_SEATS_PERCENT", "0")
    async with (
        child_server(database, *WITH_FEW_FILES, site=True, fresh=True) as server,
        contextlib.AsyncExitStack() as stack,
    ):
        ann = await stack.enter_async_context(dial(server.url))
        await ann.hello("ann")
        address = urlsplit(server.url)
        for _ in range(FEW // 2):
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
            stack.callback(writer.close)
        async with asyncio.timeout(PATIENCE):
            assert (await reader.readline()).startswith(b"HTTP/1.1 503 ")
        match = await ann.play("classic-practice")
        assert (await ann.guess(match, 1, 1, "1122"))["type"] == "feedback"
        assert (await ann.ask("error", type="resume", match="0" * 16, seq=0))["code"] == "not_your_match"
        _, log = await server.stop(signal.SIGTERM)
    (line,) = [line for line in log.splitlines() if "open files" in line]
    for fact in (str(FEW), f"{FEW // 2} of 2000 max_connections", "of 2500", f"LimitNOFILE={2500 + OWN_FILES}"):
        assert fact in line


@pytest.mark.parametrize(("files", "fitting"), [(-1, 2500), (5000, 2500), (2600, 2600 - OWN_FILES), (100, 50)])
def test_connections_that_fit(monkeypatch, files, fitting):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    assert fit(2500) == fitting
