import asyncio
import json
import re
from contextlib import asynccontextmanager, suppress

import pytest

from evilpegs_clients.connection.login import Credentials
from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.session import PlayerSession, Reconnected, Reconnecting
from evilpegs_clients.errors import (
    BrokenRecordError,
    ConnectionLostError,
    SeatTakenError,
    ServerRefusedError,
    ServerUnreachableError,
    UnreachableReason,
)
from evilpegs_protocol.client_messages import ClientInfo, Ping
from evilpegs_protocol.server_messages import ErrorCode, Notice

CLIENT = ClientInfo(name="test", version="1")


def refusal(code, **fields):
    return [{"type": "error", "code": code, "message": "no", "fatal": False, **fields}]


async def test_session_of_guest_keeps_no_file(tiny_server, open_session, tokens):
    server = tiny_server()
    async with open_session(server, name=None) as session:
        assert session.welcome.player == "guest-1"
        assert not tokens.path.exists()
        session.login.keep_guest(session.welcome.player)
        assert tokens.get(session.server, "guest-1") == (session.welcome.token,)


async def test_open_unreachable_server_fails_at_once(tokens, retry_policy, sleeps):
    session = PlayerSession("ws://127.0.0.1:9", Credentials(CLIENT), tokens, retry_policy, print)
    with pytest.raises(ServerUnreachableError):
        await session.open()
    await session.close()
    assert sleeps == []


@pytest.fixture
def open_session_at_two(tokens, retry_policy, listen):
    """Open a session with two servers that know the same players and matches."""

    @asynccontextmanager
    async def opened(first, second):
        second.matches, second.known = first.matches, first.known
        async with listen(first.converse) as one, listen(second.converse) as two:
            session = PlayerSession(f"{one},{two}", Credentials(CLIENT, name="ann"), tokens, retry_policy, print)
            try:
                await session.open()
                yield session
            finally:
                await session.close()

    return opened


@pytest.mark.parametrize("fault", ["lose", refusal("draining"), refusal("rate_limited")])
async def test_open_goes_on_to_the_next_address(tiny_server, open_session_at_two, tokens, sleeps, fault):
    first, second = tiny_server(), tiny_server()
    first.fault = lambda request: fault
    async with open_session_at_two(first, second) as session:
        assert (first.connections, second.connections, sleeps) == (1, 1, [])
        assert tokens.servers_with("ann") == (session.server,)


async def test_open_does_not_take_a_lasting_refusal_elsewhere(tiny_server, open_session_at_two):
    first, second = tiny_server(), tiny_server()
    first.fault = lambda request: refusal("banned")
    with pytest.raises(ServerRefusedError) as caught:
        async with open_session_at_two(first, second):
            pass
    assert (caught.value.code, second.connections) == (ErrorCode.BANNED, 0)


async def test_none_of_several_addresses_answers(tokens, retry_policy):
    nobody = "ws://127.0.0.1:1/v1,ws://127.0.0.1:2/v1"
    session = PlayerSession(nobody, Credentials(CLIENT), tokens, retry_policy, print)
    with pytest.raises(ServerUnreachableError) as caught:
        await session.open()
    assert all(url in str(caught.value) for url in nobody.split(","))


async def test_match_goes_on_at_the_next_address_and_back(tiny_server, open_session_at_two):
    first, second = tiny_server(), tiny_server()
    async with open_session_at_two(first, second) as session:
        client = await MatchClient.play(session, "tiny")
        for cut, other, times in ((first, second, 1), (second, first, 1), (first, second, 2)):
            cut.sockets[-1].transport.abort()
            await session.wait_for_change()
            assert other.sent("resume")[-1]["match"] == client.view.id
            assert len(other.sent("resume")) == times


async def test_draining_server_is_left_at_once(tiny_server, open_session_at_two, sleeps):
    first, second = tiny_server(), tiny_server()
    first.fault = lambda request: refusal("draining") if request["type"] == "play" else None
    async with open_session_at_two(first, second) as session:
        await MatchClient.play(session, "tiny")
    assert (len(first.sent("play")), len(second.sent("play")), len(sleeps)) == (1, 1, 1)


async def test_ask_repeats_passing_refusals(tiny_server, open_session, sleeps):
    server = tiny_server()
    refusals = [refusal("rate_limited", retry_after_ms=9000), refusal("storage_unavailable"), None]
    server.fault = lambda request: refusals.pop(0) if request["type"] == "ping" else None
    async with open_session(server) as session:
        assert (await session.ask(Ping(c=5))).c == 5
    assert sleeps[0] == 9
    assert 0 < sleeps[1] < 1


async def test_ask_gives_up_on_lasting_refusal(tiny_server, open_session, sleeps):
    server = tiny_server()
    server.fault = lambda request: refusal("draining") if request["type"] == "ping" else None
    async with open_session(server) as session:
        with pytest.raises(ServerRefusedError) as caught:
            await session.ask(Ping(c=5))
    assert caught.value.code is ErrorCode.DRAINING
    assert len(sleeps) == 5


async def test_cut_resumes_match_from_last_event(tiny_server, open_session, sleeps):
    server, news = tiny_server(), []
    async with open_session(server, news=news) as session:
        client = await MatchClient.play(session, "tiny")
        await client.wait_for_move()
        server.sockets[0].transport.abort()
        await session.wait_for_change()
        assert client.view.seq == 2
    assert server.sent("resume") == [{"type": "resume", "match": client.view.id, "seq": 2, "id": "2"}]
    cut, back = news
    assert isinstance(cut, Reconnecting)
    assert back == Reconnected(1)
    assert (cut.attempt, cut.seconds) == (1, sleeps[0])
    assert session.server in cut.why


async def test_reconnecting_delays_grow(tiny_server, open_session, sleeps):
    server, news = tiny_server(), []
    faults = iter([None, "lose", refusal("draining"), None])
    server.fault = lambda request: next(faults) if request["type"] == "hello" else None
    async with open_session(server, news=news) as session:
        server.sockets[0].transport.abort()
        await session.wait_for_change()
        await session.restore()  # nothing to do
    *cuts, back = news
    assert [cut.attempt for cut in cuts] == [1, 2, 3]
    assert sleeps == sorted(sleeps)
    assert [cut.seconds for cut in cuts] == sleeps
    assert cuts[2].why == "no"
    assert back == Reconnected(3)


async def test_delays_grow_until_a_request_is_answered(tiny_server, open_session, sleeps):
    """A server that accepts each connection and drops it at once is not hurried."""
    server, news = tiny_server(), []
    async with open_session(server, news=news) as session:
        for attempt in (1, 2, 3):
            server.sockets[-1].transport.abort()
            await session.wait_for_change()
            assert news[-1] == Reconnected(attempt)
        assert sleeps == sorted(sleeps)
        await session.ask(Ping(c=1))
        server.sockets[-1].transport.abort()
        await session.wait_for_change()
        assert news[-1] == Reconnected(1)


async def test_refusals_do_not_restart_the_delays(tiny_server, open_session, sleeps):
    server, news = tiny_server(), []
    async with open_session(server, news=news) as session:
        refused = iter([True, True, False])
        server.fault = lambda request: refusal("draining") if request["type"] == "hello" and next(refused) else None
        server.sockets[0].transport.abort()
        with suppress(TimeoutError):
            await asyncio.wait_for(session.wait_for_change(), 0)  # cancelled, as when a person types meanwhile
        await session.restore()
    assert [cut.attempt for cut in news[:-1]] == sorted({cut.attempt for cut in news[:-1]})


async def test_reconnecting_gives_up_after_all_attempts(tiny_server, open_session, sleeps):
    server = tiny_server()
    async with open_session(server) as session:
        server.fault = lambda request: "lose"
        server.sockets[0].transport.abort()
        with pytest.raises(ServerUnreachableError, match=r"\b5\b") as caught:
            await session.wait_for_change()
    assert caught.value.reason is UnreachableReason.GAVE_UP
    assert "\n" not in str(caught.value)
    assert len(sleeps) == 5


async def test_lasting_refusal_ends_reconnecting(tiny_server, open_session):
    server = tiny_server()
    async with open_session(server) as session:
        await MatchClient.play(session, "tiny")
        server.fault = lambda request: refusal("not_your_match") if request["type"] == "resume" else None
        server.sockets[0].transport.abort()
        with pytest.raises(ServerRefusedError) as caught:
            await session.wait_for_change()
    assert caught.value.code is ErrorCode.NOT_YOUR_MATCH


async def test_session_yields_taken_seat(tiny_server, open_session):
    server, news = tiny_server(), []
    notice = {"type": "notice", "kind": "seat_taken", "message": "taken"}
    async with open_session(server, news=news) as session:
        await server.sockets[0].send(json.dumps(notice))
        await server.sockets[0].close(4003, "")
        with pytest.raises(SeatTakenError):
            await session.wait_for_change()
    assert [type(message) for message in news] == [Notice]
    assert server.connections == 1


async def test_session_fetches_skipped_event(tiny_server, open_session):
    server, news = tiny_server(games=2), []
    async with open_session(server, news=news) as session:
        client = await MatchClient.play(session, "tiny")
        match = server.matches[client.view.id]
        match.ready()
        match.end("forfeit")
        await server.sockets[0].send(json.dumps(match.events[3]))
        await session.wait_for_change()
        while client.view.seq < 4:
            await session.wait_for_change()
        assert client.view.record == match.events
    assert re.search(rf"\b3\b.*{match.match}", news[0].why)


async def test_session_leaves_contradicting_server(tiny_server, open_session):
    server = tiny_server()
    async with open_session(server) as session:
        client = await MatchClient.play(session, "tiny")
        event = server.matches[client.view.id].events[0]
        await server.sockets[0].send(json.dumps(event | {"guess_limit": 3}))
        with pytest.raises(BrokenRecordError, match=r"\b1\b"):
            await session.wait_for_change()


async def test_session_must_be_open(tokens, retry_policy):
    session = PlayerSession("ws://127.0.0.1:9", Credentials(CLIENT), tokens, retry_policy, print)
    with pytest.raises(AttributeError):
        _ = session.welcome
    with pytest.raises(RuntimeError):
        await session.ask(Ping(c=1))


async def test_ask_fails_on_cut_until_restored(tiny_server, open_session):
    server = tiny_server()
    async with open_session(server) as session:
        server.sockets[0].transport.abort()
        with pytest.raises(ConnectionLostError):
            await session.ask(Ping(c=1))
        await session.restore()
        assert (await session.ask(Ping(c=2))).c == 2
