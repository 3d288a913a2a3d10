"""A certificate is checked before the server listens; then the game and the site speak TLS only."""

import asyncio
import json
import socket
import ssl
from dataclasses import replace

import httpx
import pytest
import uvloop
from websockets.asyncio.client import connect

from evilpegs_server.listening import TlsUnusableError, load_tls
from evilpegs_server.timing import Timing
from support.certificates import make_certificate, trust
from support.handshakes import ENDLESS
from support.in_process import serving
from support.patience import PATIENCE


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("tls"))


def refusal(cert, key):
    """Return the error for files that cannot be used, which is one line."""
    with pytest.raises(TlsUnusableError) as caught:
        load_tls(cert, key)
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_certificate_with_key_is_loaded(certificate, tmp_path):
    both = tmp_path / "both.pem"
    both.write_bytes(certificate[0].read_bytes() + certificate[1].read_bytes())
    assert load_tls(*certificate) is not None
    assert load_tls(both, None) is not None
    assert load_tls(None, None) is None


def test_unusable_certificate_is_named(certificate, tmp_path):
    cert, key = certificate
    _, other = make_certificate(tmp_path, "other")
    guarded, locked = make_certificate(tmp_path, "guarded", passphrase="abcd1234")
    for files in [
        (key, None),
        (cert, None),
        (cert, other),
        (cert, cert),
        (tmp_path / "missing", key),
        (guarded, locked),
    ]:
        assert all(str(file) in refusal(*files) for file in files if file is not None)
    assert all(fact in refusal(None, key) for fact in (str(key), "--tls-cert"))


@pytest.fixture
async def secure_server(certificate, database):
    """Run a server with a certificate."""
    cert, key = certificate
    limits = {"connections_per_address": 3, "trusted_proxies": "192.0.2.1"}
    patient = Timing(tls_seconds=PATIENCE)
    async with serving(database, patient, site=True, tls_cert=cert, tls_key=key, **limits) as running:
        yield replace(running, host="localhost")


async def test_game_and_site_are_announced_with_tls(secure_server, certificate):
    tls = trust(certificate[0])
    assert secure_server.url.startswith("wss://")
    assert secure_server.site_url.startswith("https://")
    async with httpx.AsyncClient(verify=tls, timeout=PATIENCE) as client:
        game = secure_server.url.replace("wss://", "https://").removesuffix("v1")
        ready, redirected = await client.get(game + "readyz"), await client.get(game)
    async with connect(secure_server.url, ssl=tls, open_timeout=PATIENCE) as client:
        await client.send(json.dumps({"type": "hello", "client": {"name": "tester", "version": "1"}}))
        welcome = json.loads(await client.recv())
    assert ready.json() == {"status": "ready"}
    assert redirected.headers["location"] == welcome["server"]["site"] == secure_server.site_url


async def test_early_request_is_read_after_tls_handshake(secure_server, certificate):
    """The request comes in the same segments as the end of the handshake, as often as the loop allows."""
    port = secure_server.port
    for _ in range(5):
        reader, writer = await asyncio.open_connection("localhost", port, ssl=trust(certificate[0]))
        writer.write(b"GET /v1 HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n")
        async with asyncio.timeout(PATIENCE):
            assert b" 403 " in await reader.readline()
            await reader.read()
        writer.close()
        await writer.wait_closed()


async def test_connections_before_tls_handshake_are_counted(secure_server, certificate):
    """Silent connections count before TLS begins; what speaks no TLS is closed, and its place is free again."""
    silent = [await asyncio.open_connection("127.0.0.1", secure_server.port) for _ in range(3)]
    reader, writer = await asyncio.open_connection("127.0.0.1", secure_server.port)
    async with asyncio.timeout(PATIENCE):
        assert await _ending(reader) == b""
    writer.close()
    for reader, writer in silent:
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        async with asyncio.timeout(PATIENCE):
            await _ending(reader)
        writer.close()
    async with connect(secure_server.url, ssl=trust(certificate[0]), open_timeout=PATIENCE) as client:
        assert client.remote_address[1] == secure_server.port


def test_handshake_that_begins_at_once_succeeds(certificate, database):
    """The client's first bytes are there when the server accepts the connection, and uvloop reads them at once."""
    cert, key = certificate

    async def play():
        async with serving(database, tls_cert=cert, tls_key=key) as running, asyncio.timeout(PATIENCE):
            for _ in range(3):
                with socket.create_connection((running.host, running.port)) as client:
                    assert await handshake(client, trust(cert)) == "TLSv1.3"

    uvloop.run(play())


async def handshake(client, context):
    """Make a TLS handshake whose first bytes are sent before the event loop runs again; return the TLS version."""
    incoming, outgoing, loop = ssl.MemoryBIO(), ssl.MemoryBIO(), asyncio.get_running_loop()
    tls = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    is_done = False
    while not is_done:
        try:
            tls.do_handshake()
            is_done = True
        except ssl.SSLWantReadError:
            client.sendall(outgoing.read())
            client.setblocking(False)
            incoming.write(await loop.sock_recv(client, 1 << 16) or b"the connection was closed")
    return tls.version()


async def _ending(reader):
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


async def test_silent_tls_connection_does_not_delay_stop(certificate, database, endless_handshakes):
    cert, key = certificate
    async with asyncio.timeout(PATIENCE):
        async with serving(database, ENDLESS, tls_cert=cert, tls_key=key) as running:
            silent = socket.create_connection(("127.0.0.1", running.port))
            await endless_handshakes.wait()
    silent.close()
