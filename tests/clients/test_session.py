import json

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
from evilpegs_protocol.server_messages import Notice

CLIENT = ClientInfo(name="test", version="1")


def refusal(code, **fields):
    return [{"type": "error", "code": code, "message": "no", "fatal": False, **fields}]


async def test_a_guest_needs_no_file(tiny_server, open_session, tokens):
    server = tiny_server()
    async with open_session(server, name=None) as session:
        assert session.welcome.player == "guest-1"
        assert not tokens.path.exists()
        session.keep_guest()
        assert tokens.kept(session.server, "guest-1") == (session.welcome.token,)


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
