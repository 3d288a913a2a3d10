import asyncio
import json
from types import SimpleNamespace

import pytest

from evilpegs_clients.connection import login
from evilpegs_clients.connection.login import CLOSED_REGISTRATION, Credentials, LoginSequence
from evilpegs_clients.connection.session import PlayerSession
from evilpegs_clients.errors import ServerRefusedError, ServerUnreachableError, UnreachableReason
from evilpegs_protocol.client_messages import ClientInfo, Hello
from evilpegs_protocol.server_messages import ErrorCode, Welcome

CLIENT = ClientInfo(name="test", version="1")
SERVER = "ws://127.0.0.1:8765/v1"
OLD, NEW = "0" * 64, "1" * 64


def welcome(token=None):
    limits = {"frame_bytes": 1, "nesting": 1, "open_matches": 1, "requests_per_second": 1}
    server = {"name": "s", "version": "1"}
    fields = {"open": (), "ladders": (), "limits": limits, "server": server}
    return Welcome(player="ann", kind="bot", token=token, **fields)


def test_guest_uses_issued_token_or_begins_again(tokens):
    guest = LoginSequence(SERVER, Credentials(CLIENT), tokens)
    [hello] = guest.hellos()
    assert hello == Hello(client=CLIENT)
    guest.accept(hello, welcome(NEW))
    assert guest.hellos() == [Hello(client=CLIENT, token=NEW), Hello(client=CLIENT)]
    assert not tokens.path.exists()
    guest.keep_guest("guest-1")
    assert tokens.get(SERVER, "guest-1") == (NEW,)


def test_new_name_is_claimed_and_kept(tokens):
    ann = LoginSequence(SERVER, Credentials(CLIENT, "ann", "human"), tokens)
    [hello] = ann.hellos()
    assert hello == Hello(client=CLIENT, name="ann", kind="human")
    ann.accept(hello, welcome(NEW))
    assert ann.hellos() == [Hello(client=CLIENT, token=NEW)]
    assert LoginSequence(SERVER, Credentials(CLIENT, "ann"), tokens).hellos()[0].token == NEW


def test_kept_tokens_precede_new_claim(tokens):
    tokens.add(SERVER, "ann", OLD)
    tokens.add(SERVER, "ann", NEW)
    ann = LoginSequence(SERVER, Credentials(CLIENT, "ann"), tokens)
    hellos = ann.hellos()
    assert [(hello.token, hello.name) for hello in hellos] == [(NEW, None), (OLD, None), (None, "ann")]
    ann.accept(hellos[1], welcome())
    assert tokens.get(SERVER, "ann") == (OLD, NEW)
    assert ann.hellos() == [hellos[1]]


@pytest.mark.parametrize(
    ("code", "kept", "is_explained"),
    [
        (ErrorCode.NAME_TAKEN, True, True),
        (ErrorCode.NAME_TAKEN, False, False),
        (ErrorCode.BAD_NAME, True, False),
    ],
)
def test_taken_name_refusal_names_token_file(tokens, code, kept, is_explained):
    if kept:
        tokens.add(SERVER, "ann", OLD)
    refused = ServerRefusedError(code, "bad")
    explain = LoginSequence(SERVER, Credentials(CLIENT, "ann"), tokens).explain(refused)
    assert explain.code is code
    assert ("ann" in explain.message and str(tokens.path) in explain.message) == is_explained
    assert (explain is refused) is (code is ErrorCode.BAD_NAME)


def test_closed_registration_lists_stored_names(tokens):
    refused = ServerRefusedError(ErrorCode.AUTH_REQUIRED, "no")
    login = LoginSequence(SERVER, Credentials(CLIENT, "ann"), tokens)
    assert login.explain(refused).message == CLOSED_REGISTRATION
    tokens.add(SERVER, "bob", OLD)
    tokens.add("ws://elsewhere:1/v1", "eve", OLD)
    message = login.explain(refused).message
    assert message.startswith(CLOSED_REGISTRATION)
    assert "bob" in message
    assert "eve" not in message


def refusal(code, **fields):
    return [{"type": "error", "code": code, "message": "no", "fatal": False, **fields}]


async def test_name_is_claimed_once_then_proven(tiny_server, open_session, tokens, retry_policy):
    server = tiny_server()
    async with open_session(server) as session:
        assert session.welcome.player == "ann"
        assert tokens.get(session.server, "ann") == (session.welcome.token,)
        issued = session.welcome.token
        await session.close()
        again = PlayerSession(session.server, Credentials(CLIENT, "ann"), tokens, retry_policy, print)
        assert (await again.open()).player == "ann"
        await again.close()
    first, second = server.sent("hello")
    assert (first["name"], first["kind"]) == ("ann", "bot")
    assert "token" not in first
    assert second["token"] == issued


async def test_unknown_token_leads_to_new_claim(tiny_server, listen, tokens, retry_policy):
    server = tiny_server()
    async with listen(server.converse) as url:
        tokens.add(url, "ann", "0" * 64)
        session = PlayerSession(url, Credentials(CLIENT, "ann"), tokens, retry_policy, print)
        welcome = await session.open()
        await session.close()
    assert tokens.get(url, "ann") == (welcome.token, "0" * 64)


async def test_taken_name_is_refused(tiny_server, listen, tokens, retry_policy):
    server = tiny_server()
    server.known["0" * 64] = "ann"
    async with listen(server.converse) as url:
        session = PlayerSession(url, Credentials(CLIENT, "ann"), tokens, retry_policy, print)
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
        session = PlayerSession(url, Credentials(CLIENT), tokens, retry_policy, print)
        with pytest.raises(ServerUnreachableError, match=url) as caught:
            await session.open()
    assert caught.value.reason is UnreachableReason.OTHER_SERVER


async def test_silent_hello_is_unreachable(tiny_server, listen, tokens, retry_policy, monkeypatch):
    server = tiny_server()
    server.fault = lambda request: []
    # Only the wait for the answer is short: on a busy machine, connecting takes longer than that.
    hurried = SimpleNamespace(timeout=lambda seconds: asyncio.timeout(0.05))
    monkeypatch.setattr(login, "asyncio", hurried)
    async with listen(server.converse) as url:
        session = PlayerSession(url, Credentials(CLIENT), tokens, retry_policy, print)
        with pytest.raises(ServerUnreachableError, match=url) as caught:
            await session.open()
    assert caught.value.reason is UnreachableReason.OTHER_SERVER


async def test_other_refusal_of_token_is_final(tiny_server, listen, tokens, retry_policy):
    server = tiny_server()
    server.fault = lambda request: refusal("internal")
    async with listen(server.converse) as url:
        tokens.add(url, "ann", "0" * 64)
        session = PlayerSession(url, Credentials(CLIENT, "ann"), tokens, retry_policy, print)
        with pytest.raises(ServerRefusedError) as caught:
            await session.open()
    assert caught.value.code is ErrorCode.INTERNAL
    assert len(server.requests) == 1
