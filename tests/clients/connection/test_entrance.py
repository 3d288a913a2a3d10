import json
from dataclasses import replace

import pytest

from evilpegs_clients.connection.identity import Identity
from evilpegs_clients.connection.session import PlayerSession
from evilpegs_clients.errors import ServerRefusedError, ServerUnreachableError, UnreachableReason
from evilpegs_protocol.client_messages import ClientInfo
from evilpegs_protocol.server_messages import ErrorCode

CLIENT = ClientInfo(name="test", version="1")


def refusal(code, **fields):
    return [{"type": "error", "code": code, "message": "no", "fatal": False, **fields}]


async def test_name_is_claimed_once_then_proven(tiny_server, open_session, tokens, retry_policy):
    server = tiny_server()
    async with open_session(server) as session:
        assert session.welcome.player == "ann"
        assert tokens.kept(session.server, "ann") == (session.welcome.token,)
        issued = session.welcome.token
        await session.close()
        again = PlayerSession(session.server, Identity(CLIENT, "ann"), tokens, retry_policy, print)
        assert (await again.open()).player == "ann"
        await again.close()
    first, second = server.sent("hello")
    assert (first["name"], first["kind"]) == ("ann", "bot")
    assert "token" not in first
    assert second["token"] == issued


async def test_unknown_token_leads_to_new_claim(tiny_server, listen, tokens, retry_policy):
    server = tiny_server()
    async with listen(server.converse) as url:
        tokens.keep(url, "ann", "0" * 64)
        session = PlayerSession(url, Identity(CLIENT, "ann"), tokens, retry_policy, print)
        welcome = await session.open()
        await session.close()
    assert tokens.kept(url, "ann") == (welcome.token, "0" * 64)


async def test_taken_name_is_refused(tiny_server, listen, tokens, retry_policy):
    server = tiny_server()
    server.known["0" * 64] = "ann"
    async with listen(server.converse) as url:
        session = PlayerSession(url, Identity(CLIENT, "ann"), tokens, retry_policy, print)
        with pytest.raises(ServerRefusedError) as caught:
            await session.open()
        await session.close()
    assert caught.value.code is ErrorCode.NAME_TAKEN


async def test_server_without_welcome_is_unreachable(listen, tokens, retry_policy):
    async def converse(socket):
        request = json.loads(await socket.recv())
        await socket.send(json.dumps({"type": "pong", "c": 1, "re": request["id"]}))
        await socket.wait_closed()

    async with listen(converse) as url:
        session = PlayerSession(url, Identity(CLIENT), tokens, retry_policy, print)
        with pytest.raises(ServerUnreachableError, match=url) as caught:
            await session.open()
    assert caught.value.reason is UnreachableReason.OTHER_SERVER


async def test_silent_hello_is_unreachable(tiny_server, listen, tokens, retry_policy):
    server = tiny_server()
    server.fault = lambda request: []
    async with listen(server.converse) as url:
        session = PlayerSession(url, Identity(CLIENT), tokens, replace(retry_policy, timeout=0.05), print)
        with pytest.raises(ServerUnreachableError, match=url) as caught:
            await session.open()
    assert caught.value.reason is UnreachableReason.OTHER_SERVER


async def test_other_refusal_of_token_is_final(tiny_server, listen, tokens, retry_policy):
    server = tiny_server()
    server.fault = lambda request: refusal("internal")
    async with listen(server.converse) as url:
        tokens.keep(url, "ann", "0" * 64)
        session = PlayerSession(url, Identity(CLIENT, "ann"), tokens, retry_policy, print)
        with pytest.raises(ServerRefusedError) as caught:
            await session.open()
    assert caught.value.code is ErrorCode.INTERNAL
    assert len(server.requests) == 1
