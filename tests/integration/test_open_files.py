"""A server that may open few files at first takes more connections than that."""

import asyncio
import contextlib
import resource
from urllib.parse import urlsplit

import pytest

from support.patience import PATIENCE
from support.servers import child_server

FILES, CONNECTIONS = 128, 200


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
    async with child_server(database, site=True) as server, contextlib.AsyncExitStack() as stack:
        few_files()
        address = urlsplit(server.site_url)
        for _ in range(CONNECTIONS):
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
            stack.callback(writer.close)
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            async with asyncio.timeout(PATIENCE):
                assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
