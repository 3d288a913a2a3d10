import asyncio
import json
import re
import socket
import ssl
from contextlib import suppress

import pytest
from websockets.exceptions import ProxyError

from evilpegs_clients.connection import connection
from evilpegs_clients.connection.connection import dial
from evilpegs_clients.errors import (
    ConnectionLostError,
    SeatTakenError,
    ServerRefusedError,
    ServerUnreachableError,
    UnreachableReason,
)
from evilpegs_game.errors import MalformedError
from evilpegs_protocol.client_messages import Ping
from evilpegs_protocol.server_messages import ErrorCode, Notice, Pong, Unknown
from support.certificates import make_certificate


def answering(*makers):
    """Return a conversation in which the next maker gives the messages that answer each request, by its id."""

    async def converse(socket):
        for maker in makers:
            request = json.loads(await socket.recv())
            for message in maker(request["id"]):
                await socket.send(message if isinstance(message, str | bytes) else json.dumps(message))
        await socket.wait_closed()

    return converse


def pong(re, c=1):
    return {"type": "pong", "c": c, "re": re}


NOTICE = {"type": "notice", "kind": "restarted", "message": "again"}


async def test_ask_returns_answer_and_delivers_in_order(listen):
    delivered = []
    news = {"type": "news_of_tomorrow", "x": 1}
    async with listen(answering(lambda re: [NOTICE, news, pong(re, 7), NOTICE])) as url:
        connection = await dial(url, delivered.append)
        answer = await connection.ask(Ping(c=7))
        await connection.close()
    assert isinstance(answer, Pong)
    assert answer.c == 7
    assert [type(received.message) for received in delivered] == [Notice, Unknown, Pong, Notice]
    assert [received.fields for received in delivered][1:3] == [news, {"type": "pong", "c": 7}]


async def test_ask_matches_answers_out_of_order(listen):
    async def converse(socket):
        ids = {json.loads(await socket.recv())["c"]: place for place in range(2)}
        assert ids == {1: 0, 2: 1}
        for number in ("2", "1"):
            await socket.send(json.dumps(pong(number, int(number))))
        await socket.wait_closed()

    async with listen(converse) as url:
        connection = await dial(url, lambda received: None)
        answers = await asyncio.gather(connection.ask(Ping(c=1)), connection.ask(Ping(c=2)))
        await connection.close()
    assert [answer.c for answer in answers] == [1, 2]


async def test_ask_raises_refusal_with_fields(listen):
    refusal = {
        "type": "error",
        "code": "stale_turn",
        "message": "late",
        "fatal": True,
        "retry_after_ms": 30,
        "expected": {"game": 1, "turn": 2},
    }
    async with listen(answering(lambda re: [refusal | {"re": re}])) as url:
        connection = await dial(url, lambda received: None)
        with pytest.raises(ServerRefusedError, match="late") as caught:
            await connection.ask(Ping(c=1))
        await connection.close()
    error = caught.value
    assert (error.code, error.message, error.retry_after_ms) == (ErrorCode.STALE_TURN, "late", 30)


async def test_ask_fails_after_cut(listen):
    async def cut(socket):
        await socket.recv()
        socket.transport.abort()

    async with listen(cut) as url:
        connection = await dial(url, lambda received: None)
        with pytest.raises(ConnectionLostError, match=url):
            await connection.ask(Ping(c=1))
        with pytest.raises(ConnectionLostError):
            await connection.ask(Ping(c=2))
        await connection.close()


async def test_ended_carries_reason_of_close(listen):
    async def close(socket):
        await socket.close(1001, "reboot")

    async def take_seat(socket):
        await socket.close(4003, "")

    async with listen(close) as url:
        connection = await dial(url, lambda received: None)
        reason = await connection.ended
        assert isinstance(reason, ConnectionLostError)
        assert url in str(reason)
        assert str(reason).endswith(": reboot")
    async with listen(take_seat) as url:
        connection = await dial(url, lambda received: None)
        assert isinstance(await connection.ended, SeatTakenError)


@pytest.mark.parametrize(
    "frame", ["nonsense", "[]", b"\x00", '{"type": "pong"}', '{"type": "turn", "match": 3}', "[" * 1000]
)
async def test_malformed_frames_end_connection(listen, frame):
    async with listen(answering(lambda re: [frame])) as url:
        connection = await dial(url, lambda received: None)
        with pytest.raises(ServerUnreachableError, match=url) as caught:
            await connection.ask(Ping(c=1))
        await connection.close()
    assert caught.value.reason is UnreachableReason.OTHER_SERVER


async def test_error_of_receiver_ends_connection(listen):
    def deliver(received):
        raise ConnectionLostError("event 3 is missing")

    async with listen(answering(lambda re: [pong(re)])) as url:
        connection = await dial(url, deliver)
        with pytest.raises(ConnectionLostError, match="event 3"):
            await connection.ask(Ping(c=1))
        await connection.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def unreachable(url, **options):
    with pytest.raises(ServerUnreachableError) as caught:
        await dial(url, lambda received: None, **options)
    assert "\n" not in str(caught.value)
    assert url in str(caught.value)
    return caught.value


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_dial_closed_port_names_serve_command(host):
    port = free_port()
    error = await unreachable(f"ws://{host}:{port}/v1")
    assert error.reason is UnreachableReason.REFUSED
    assert str(error).endswith(f"; start a server there with: evilpegs serve --port {port}")


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        ("ws://127.0.0.1:8765/v1", "run `evilpegs serve`, or name another server with --server"),
        ("ws://localhost/v1", "start a server there with: evilpegs serve --port 80"),
        ("ws://192.0.2.1:8765/v1", "check the address given with --server"),
        ("ws://[::1]:9/v1", "check the address given with --server"),
        ("wss://127.0.0.1:9/v1", "check the address given with --server"),
    ],
)
async def test_refused_connection_names_remedy(monkeypatch, url, remedy):
    async def refuse(*_, **__):
        raise ConnectionRefusedError

    monkeypatch.setattr(connection, "connect", refuse)
    error = await unreachable(url)
    assert str(error) == f"nothing listens at {url}; {remedy}"


async def test_dial_unknown_host(monkeypatch):
    async def lookup(*args, **kwargs):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup, raising=False)
    error = await unreachable("ws://nowhere.invalid:1")
    assert error.reason is UnreachableReason.HOST
    assert "ws://nowhere.invalid:1/v1" in str(error)


@pytest.mark.parametrize(
    ("error", "reason", "detail"),
    [
        (OSError(101, "unroutable"), UnreachableReason.NETWORK, ": unroutable"),
        (OSError("odd"), UnreachableReason.NETWORK, ": odd"),
        (ProxyError("gone"), UnreachableReason.OTHER_SERVER, ""),
    ],
)
async def test_dial_network_error(monkeypatch, error, reason, detail):
    async def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", fail, raising=False)
    unreached = await unreachable("ws://10.0.0.1:1")
    assert unreached.reason is reason
    assert "ws://10.0.0.1:1/v1" in str(unreached)
    assert str(unreached).endswith(detail)


async def test_dial_refuses_malformed_address():
    with pytest.raises(MalformedError, match=r"ws://127\.0\.0\.1:8000/v1"):
        await unreachable("http://127.0.0.1:8000")


async def test_dial_server_of_other_protocol(listen):
    async with listen(answering(), subprotocols=None) as url:
        error = await unreachable(url)
        assert error.reason is UnreachableReason.OTHER_SERVER
        assert "evilpegs.v1" in str(error)
    async with listen(answering(), subprotocols=["chat"]) as url:
        assert (await unreachable(url)).reason is UnreachableReason.OTHER_SERVER


async def raw_server(answer):
    async def converse(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    return server, f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "HTTP 404"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP 200"),
        (b"SSH-2.0-something\r\n", ""),
        (b"", ""),
    ],
)
async def test_dial_server_of_other_kind(answer, status):
    server, url = await raw_server(answer)
    async with server:
        error = await unreachable(url)
    assert error.reason is UnreachableReason.OTHER_SERVER
    assert status in str(error)
    assert (url.replace("ws:", "wss:") in str(error)) == (status == "")


@pytest.mark.parametrize("status", [403, 421, 429, 503])
async def test_dial_full_server_says_why(status):
    server, url = await raw_server(
        f"HTTP/1.1 {status} No\r\nContent-Length: 19\r\n\r\nAll seats \x1b are 7.\n".encode()
    )
    async with server:
        error = await unreachable(url)
    assert error.reason is UnreachableReason.NETWORK
    assert all(fact in str(error) for fact in (url, "All seats", "are 7."))
    assert str(error).isprintable()


async def test_dial_silent_server_times_out(listen):
    gone = asyncio.Event()

    async def converse(reader, writer):
        with suppress(ConnectionError):
            await reader.read()
        writer.close()
        gone.set()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    async with server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        assert (await unreachable(url, seconds=0.01)).reason is UnreachableReason.SILENT
        await gone.wait()


def schemes_beside(url, error):
    """Return the schemes that an error names besides ``url``."""
    return set(re.findall(r"\b(wss?):", str(error).replace(url, "")))


async def test_dial_secure_url_on_plain_port(listen):
    async with listen(answering()) as url:
        secure = url.replace("ws:", "wss:")
        error = await unreachable(secure)
    assert error.reason is UnreachableReason.INSECURE
    assert schemes_beside(secure, error) == {"ws", "wss"}


async def test_dial_secure_url_on_port_of_other_kind():
    async def converse(reader, writer):
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    async with server:
        url = f"wss://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        error = await unreachable(url)
    assert error.reason is UnreachableReason.INSECURE
    assert schemes_beside(url, error) == {"ws", "wss"}


async def test_dial_secure_url_on_closed_port():
    url = f"wss://127.0.0.1:{free_port()}/v1"
    error = await unreachable(url)
    assert error.reason is UnreachableReason.REFUSED
    assert schemes_beside(url, error) == set()


async def test_dial_server_with_unknown_certificate(tmp_path):
    """The TLS of this server works, so the scheme is right."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*make_certificate(tmp_path))
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=tls)
    async with server:
        url = f"wss://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        error = await unreachable(url)
    assert error.reason is UnreachableReason.INSECURE
    assert "SSL_CERT_FILE" in str(error)
    assert schemes_beside(url, error) == set()
