import json
from dataclasses import replace

import pytest

from evilpegs_clients.errors import (
    BrokenRecordError,
    ConnectionLostError,
    SeatTakenError,
    ServerRefusedError,
    ServerUnreachableError,
)
from evilpegs_clients.identity import Identity
from evilpegs_clients.seat import Seat
from evilpegs_clients.session import Reconnecting, Session
from evilpegs_protocol.client_messages import ClientInfo, Ping
from evilpegs_protocol.server_messages import ErrorCode, Notice

CLIENT = ClientInfo(name="test", version="1")


def refusal(code, **fields):
    return [{"type": "error", "code": code, "message": "no", "fatal": False, **fields}]


async def test_a_name_is_claimed_once_and_proven_afterwards(tiny_server, open_session, tokens):
    server = tiny_server()
    async with open_session(server) as session:
        assert session.welcome.player == "ann"
        assert tokens.kept(session.server, "ann") == (session.welcome.token,)
        issued = session.welcome.token
        await session.close()
        again = Session(session.server, Identity(CLIENT, "ann"), tokens, session._patience, print)
        assert (await again.open()).player == "ann"
        await again.close()
    first, second = server.sent("hello")
    assert (first["name"], first["kind"]) == ("ann", "bot")
    assert "token" not in first
    assert second["token"] == issued


async def test_a_guest_needs_no_file(tiny_server, open_session, tokens):
    server = tiny_server()
    async with open_session(server, name=None) as session:
        assert session.welcome.player == "guest-1"
        assert not tokens.path.exists()
        session.keep_guest()
        assert tokens.kept(session.server, "guest-1") == (session.welcome.token,)


async def test_a_token_the_server_does_not_know_leads_to_a_new_claim(tiny_server, listen, tokens, patience):
    server = tiny_server()
    async with listen(server.converse) as url:
        tokens.keep(url, "ann", "0" * 64)
        session = Session(url, Identity(CLIENT, "ann"), tokens, patience, print)
        welcome = await session.open()
        await session.close()
    assert tokens.kept(url, "ann") == (welcome.token, "0" * 64)


async def test_a_taken_name_is_refused(tiny_server, listen, tokens, patience):
    server = tiny_server()
    server.known["0" * 64] = "ann"
    async with listen(server.converse) as url:
        session = Session(url, Identity(CLIENT, "ann"), tokens, patience, print)
        with pytest.raises(ServerRefusedError, match="taken") as caught:
            await session.open()
        await session.close()
    assert caught.value.code is ErrorCode.NAME_TAKEN


async def test_a_server_that_does_not_welcome_is_none(listen, tokens, patience):
    async def converse(socket):
        request = json.loads(await socket.recv())
        await socket.send(json.dumps({"type": "pong", "c": 1, "re": request["id"]}))
        await socket.wait_closed()

    async with listen(converse) as url:
        session = Session(url, Identity(CLIENT), tokens, patience, print)
        with pytest.raises(ServerUnreachableError, match="not an evilpegs server"):
            await session.open()


async def test_a_server_that_is_silent_is_none(tiny_server, listen, tokens, patience):
    server = tiny_server()
    server.fault = lambda request: []
    async with listen(server.converse) as url:
        session = Session(url, Identity(CLIENT), tokens, replace(patience, timeout=0.05), print)
        with pytest.raises(ServerUnreachableError, match="does not answer hello"):
            await session.open()


async def test_a_refusal_of_a_kept_token_for_another_reason_is_final(tiny_server, listen, tokens, patience):
    server = tiny_server()
    server.fault = lambda request: refusal("internal")
    async with listen(server.converse) as url:
        tokens.keep(url, "ann", "0" * 64)
        session = Session(url, Identity(CLIENT, "ann"), tokens, patience, print)
        with pytest.raises(ServerRefusedError, match="internal"):
            await session.open()
    assert len(server.requests) == 1


async def test_nobody_there_is_said_at_once(tokens, patience, sleeps):
    session = Session("ws://127.0.0.1:9", Identity(CLIENT), tokens, patience, print)
    with pytest.raises(ServerUnreachableError):
        await session.open()
    await session.close()
    assert sleeps == []


async def test_what_is_refused_for_the_moment_is_asked_again(tiny_server, open_session, sleeps):
    server = tiny_server()
    refusals = [refusal("rate_limited", retry_after_ms=9000), refusal("storage_unavailable"), None]
    server.fault = lambda request: refusals.pop(0) if request["type"] == "ping" else None
    server._ping = lambda request: [{"type": "pong", "c": request["c"]}]
    async with open_session(server) as session:
        assert (await session.ask(Ping(c=5))).c == 5
    assert sleeps[0] == 9
    assert 0 < sleeps[1] < 1


async def test_in_the_end_a_refusal_is_final(tiny_server, open_session, sleeps):
    server = tiny_server()
    server.fault = lambda request: refusal("draining") if request["type"] == "ping" else None
    async with open_session(server) as session:
        with pytest.raises(ServerRefusedError, match="draining"):
            await session.ask(Ping(c=5))
    assert len(sleeps) == 5


async def test_after_a_cut_the_match_is_resumed_from_the_last_event(tiny_server, open_session, sleeps):
    server, told = tiny_server(), []
    async with open_session(server, told=told) as session:
        seat = await Seat.play(session, "tiny")
        await seat.until_move()
        server.sockets[0].transport.abort()
        await session.changed()
        assert seat.view.seq == 2
    assert server.sent("resume") == [{"type": "resume", "match": seat.view.id, "seq": 2, "id": "2"}]
    [cut] = told
    assert isinstance(cut, Reconnecting)
    assert (cut.attempt, cut.seconds) == (1, sleeps[0])
    assert "was cut" in cut.why


async def test_reconnecting_goes_on_with_growing_delays(tiny_server, open_session, sleeps):
    server, told = tiny_server(), []
    faults = iter([None, "lose", refusal("draining"), None])
    server.fault = lambda request: next(faults) if request["type"] == "hello" else None
    async with open_session(server, told=told) as session:
        server.sockets[0].transport.abort()
        await session.changed()
        await session.restore()  # nothing to do
    assert [cut.attempt for cut in told] == [1, 2, 3]
    assert sleeps == sorted(sleeps)
    assert [cut.seconds for cut in told] == sleeps
    assert "draining" in told[2].why


async def test_reconnecting_ends_with_one_line(tiny_server, open_session):
    server = tiny_server()
    async with open_session(server) as session:
        server.fault = lambda request: "lose"
        server.sockets[0].transport.abort()
        with pytest.raises(ServerUnreachableError, match="was cut; gave up after 5 attempts"):
            await session.changed()


async def test_a_refusal_that_will_not_pass_ends_reconnecting(tiny_server, open_session):
    server = tiny_server()
    async with open_session(server) as session:
        await Seat.play(session, "tiny")
        server.fault = lambda request: refusal("not_your_match") if request["type"] == "resume" else None
        server.sockets[0].transport.abort()
        with pytest.raises(ServerRefusedError, match="not_your_match"):
            await session.changed()


async def test_who_took_the_seat_is_not_fought(tiny_server, open_session):
    server, told = tiny_server(), []
    notice = {"type": "notice", "kind": "seat_taken", "message": "another connection plays"}
    async with open_session(server, told=told) as session:
        await server.sockets[0].send(json.dumps(notice))
        await server.sockets[0].close(4003, "")
        with pytest.raises(SeatTakenError):
            await session.changed()
    assert [type(message) for message in told] == [Notice]
    assert server.connections == 1


async def test_an_event_that_was_skipped_is_fetched(tiny_server, open_session):
    server, told = tiny_server(games=2), []
    async with open_session(server, told=told) as session:
        seat = await Seat.play(session, "tiny")
        match = server.matches[seat.view.id]
        match.ready()
        match.end("forfeit")
        await server.sockets[0].send(json.dumps(match.events[3]))
        await session.changed()
        while seat.view.seq < 4:
            await session.changed()
        assert seat.view.record == match.events
    assert "event 3 of match" in told[0].why


async def test_a_server_that_contradicts_itself_is_left(tiny_server, open_session):
    server = tiny_server()
    async with open_session(server) as session:
        seat = await Seat.play(session, "tiny")
        event = server.matches[seat.view.id].events[0]
        await server.sockets[0].send(json.dumps(event | {"guess_limit": 3}))
        with pytest.raises(BrokenRecordError, match="two stories"):
            await session.changed()


async def test_a_session_must_be_open(tokens, patience):
    session = Session("ws://127.0.0.1:9", Identity(CLIENT), tokens, patience, print)
    with pytest.raises(RuntimeError):
        _ = session.welcome
    with pytest.raises(RuntimeError):
        await session.ask(Ping(c=1))


async def test_asking_on_a_cut_connection_is_an_error_until_restored(tiny_server, open_session):
    server = tiny_server()
    server._ping = lambda request: [{"type": "pong", "c": request["c"]}]
    async with open_session(server) as session:
        server.sockets[0].transport.abort()
        with pytest.raises(ConnectionLostError):
            await session.ask(Ping(c=1))
        await session.restore()
        assert (await session.ask(Ping(c=2))).c == 2
