import asyncio
import json
import socket
from contextlib import suppress

import pytest
from websockets.exceptions import ProxyError

from evilpegs_clients.connection import dial
from evilpegs_clients.errors import (
    ConnectionLostError,
    SeatTakenError,
    ServerRefusedError,
    ServerUnreachableError,
)
from evilpegs_protocol.client_messages import Ping
from evilpegs_protocol.server_messages import ErrorCode, Expected, Notice, Pong, Unknown


def answering(*makers):
    """A conversation: each request is answered by the messages that the next maker gives for its id."""

    async def converse(socket):
        for maker in makers:
            request = json.loads(await socket.recv())
            for message in maker(request["id"]):
                await socket.send(message if isinstance(message, str | bytes) else json.dumps(message))
        await socket.wait_closed()

    return converse


def pong(re, c=1):
    return {"type": "pong", "c": c, "re": re}


NOTICE = {"type": "notice", "kind": "restarted", "message": "here again"}


async def test_a_request_gets_its_own_answer_and_everything_is_delivered_in_order(listen):
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


async def test_answers_may_come_in_another_order(listen):
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


async def test_an_error_is_raised_with_its_fields(listen):
    refusal = {
        "type": "error",
        "code": "stale_turn",
        "message": "too late",
        "fatal": True,
        "retry_after_ms": 30,
        "expected": {"game": 1, "turn": 2},
    }
    async with listen(answering(lambda re: [refusal | {"re": re}])) as url:
        connection = await dial(url, lambda received: None)
        with pytest.raises(ServerRefusedError, match=r"^too late \(stale_turn\)$") as caught:
            await connection.ask(Ping(c=1))
        await connection.close()
    error = caught.value
    assert (error.code, error.message, error.fatal) == (ErrorCode.STALE_TURN, "too late", True)
    assert (error.expected, error.retry_after_ms) == (Expected(game=1, turn=2), 30)


async def test_a_cut_ends_what_waits_and_what_comes_after(listen):
    async def cut(socket):
        await socket.recv()
        socket.transport.abort()

    async with listen(cut) as url:
        connection = await dial(url, lambda received: None)
        with pytest.raises(ConnectionLostError, match="was cut"):
            await connection.ask(Ping(c=1))
        with pytest.raises(ConnectionLostError):
            await connection.ask(Ping(c=2))
        await connection.close()


async def test_why_a_server_closed_is_told(listen):
    async def close(socket):
        await socket.close(1001, "back soon")

    async def take_seat(socket):
        await socket.close(4003, "")

    async with listen(close) as url:
        connection = await dial(url, lambda received: None)
        assert str(await connection.ended).endswith("was cut: back soon")
    async with listen(take_seat) as url:
        connection = await dial(url, lambda received: None)
        assert isinstance(await connection.ended, SeatTakenError)


@pytest.mark.parametrize(
    "frame", ["nonsense", "[]", b"\x00", '{"type": "pong"}', '{"type": "turn", "match": 3}', "[" * 1000]
)
async def test_frames_that_are_no_messages_end_the_connection(listen, frame):
    async with listen(answering(lambda re: [frame])) as url:
        connection = await dial(url, lambda received: None)
        with pytest.raises(ServerUnreachableError, match="sent what is not evilpegs v1"):
            await connection.ask(Ping(c=1))
        await connection.close()


async def test_a_receiver_who_misses_something_ends_the_connection(listen):
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
    return str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_port_where_nobody_listens(host):
    message = await unreachable(f"ws://{host}:{free_port()}/v1")
    assert message.startswith("nothing listens at ws://")
    assert "evilpegs serve" in message


async def test_a_host_that_does_not_exist(monkeypatch):
    async def lookup(*args, **kwargs):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup, raising=False)
    assert "there is no host of that name: ws://nowhere.invalid:1/v1" in await unreachable("ws://nowhere.invalid:1")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(101, "Network is unreachable"), "cannot connect to ws://10.0.0.1:1/v1: Network is unreachable"),
        (OSError("odd"), "cannot connect to ws://10.0.0.1:1/v1: odd"),
        (ProxyError("the proxy is gone"), "is not the game port"),
    ],
)
async def test_a_way_that_does_not_lead_there(monkeypatch, error, said):
    async def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", fail, raising=False)
    assert said in await unreachable("ws://10.0.0.1:1")


async def test_an_address_that_is_none():
    assert "write ws://HOST:PORT/v1" in await unreachable("http://127.0.0.1:8000")


async def test_a_server_that_speaks_another_protocol(listen):
    async with listen(answering(), subprotocols=None) as url:
        assert "does not speak evilpegs.v1" in await unreachable(url)
    async with listen(answering(), subprotocols=["chat"]) as url:
        assert "not an evilpegs game port" in await unreachable(url)


async def raw_server(answer):
    async def converse(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    return server, f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "answers HTTP 404: not an evilpegs game port"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "answers HTTP 200"),
        (b"SSH-2.0-something\r\n", "is not the game port of an evilpegs server"),
        (b"", "is not the game port of an evilpegs server"),
    ],
)
async def test_servers_of_other_kinds(answer, said):
    server, url = await raw_server(answer)
    async with server:
        assert said in await unreachable(url)


async def test_a_server_that_says_nothing(listen):
    gone = asyncio.Event()

    async def converse(reader, writer):
        with suppress(ConnectionError):
            await reader.read()
        writer.close()
        gone.set()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    async with server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        assert "does not answer" in await unreachable(url, seconds=0.01)
        await gone.wait()


async def test_a_secure_connection_to_a_plain_port(listen):
    async with listen(answering()) as url:
        assert "perhaps the server wants ws://" in await unreachable(url.replace("ws:", "wss:"))
