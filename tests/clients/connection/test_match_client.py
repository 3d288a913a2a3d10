import asyncio
import json

import pytest

from evilpegs_clients.connection.match_client import MAX_RESYNCS, MatchClient
from evilpegs_clients.connection.match_view import Phase
from evilpegs_clients.errors import BrokenRecordError, ServerRefusedError
from evilpegs_protocol.server_messages import ErrorCode

CODES = ["112", "123", "234", "341", "412", "444", "333", "222"]


async def play_on(client, codes=CODES):
    """Play every game left, with the next code at each turn."""
    while (phase := await client.wait_for_move()) is not Phase.OVER:
        if phase is Phase.READY:
            await client.ready(f"n{client.view.game}")
        else:
            await client.guess(codes[client.view.turn - 1])


def refusal(code, **fields):
    return [{"type": "error", "code": code, "message": "no", "fatal": False, **fields}]


def once(fault, kind):
    """Return a fault for the first request of a kind."""
    left = [fault]
    return lambda request: left.pop() if left and request["type"] == kind else None


async def test_seat_plays_whole_match(tiny_server, open_session):
    server = tiny_server(games=2)
    async with open_session(server) as session:
        client = await MatchClient.play(session, "tiny")
        await play_on(client)
    [match] = server.matches.values()
    assert client.view.record == match.events
    assert [request["nonce"] for request in server.sent("ready")] == ["n1", "n2"]


@pytest.mark.parametrize("fault", ["lose", "swallow"])
@pytest.mark.parametrize("kind", ["play", "ready", "guess", "resume"])
async def test_cut_at_request_loses_and_doubles_nothing(tiny_server, open_session, fault, kind):
    server = tiny_server(games=2, codemaker="evil", tie="largest")
    server.fault = once(fault, kind)
    if kind == "resume":
        faults = [once("swallow", "guess"), server.fault]
        server.fault = lambda request: faults[0](request) or faults[1](request)
    async with open_session(server) as session:
        await play_on(client := await MatchClient.play(session, "tiny"))
    match = server.matches[client.view.id]
    assert server.connections > 1
    assert len(server.matches) == 1
    assert client.view.record == match.events
    assert [event["seq"] for event in match.events] == list(range(1, len(match.events) + 1))


async def test_repeated_cuts_lose_nothing(tiny_server, open_session):
    server = tiny_server(games=3)
    kinds = ["swallow", None, "lose", None, None]
    server.fault = lambda request: kinds[len(server.requests) % 5] if request["type"] != "hello" else None
    async with open_session(server) as session:
        await play_on(client := await MatchClient.play(session, "tiny"))
    assert client.view.record == server.matches[client.view.id].events


async def test_late_guess_catches_up(tiny_server, open_session):
    server = tiny_server(games=2)
    async with open_session(server) as session:
        client = await MatchClient.play(session, "tiny")
        await client.ready("n")
        [match] = server.matches.values()
        match.end("flagged")
        server.fault = once(refusal("game_over"), "guess")
        await client.guess("111")
        assert await client.wait_for_move() is Phase.READY
        assert client.view.game == 2
        assert client.view.record == match.events


@pytest.mark.parametrize("code", ["auth_required", "bad_luck"])
async def test_refused_match_keeps_fields_of_error(tiny_server, open_session, code):
    """Neither a clearer message nor a code that only later servers know loses anything."""
    server = tiny_server()
    server.fault = once(refusal(code, retry_after_ms=5_000), "play")
    async with open_session(server) as session:
        with pytest.raises(ServerRefusedError) as refused:
            await MatchClient.play(session, "tiny")
    error = refused.value
    assert (error.code, error.retry_after_ms) == (code, 5_000)
    assert ("--name" in str(error)) is (code == "auth_required")


async def test_endless_refusal_is_raised(tiny_server, open_session):
    server = tiny_server()
    server.fault = lambda request: refusal("stale_turn") if request["type"] == "guess" else None
    async with open_session(server) as session:
        client = await MatchClient.play(session, "tiny")
        await client.ready("n")
        for _ in range(MAX_RESYNCS):
            await client.guess("111")
            assert await client.wait_for_move() is Phase.TURN
        with pytest.raises(ServerRefusedError) as caught:
            await client.guess("111")
    assert caught.value.code is ErrorCode.STALE_TURN


async def test_illegal_code_is_raised(tiny_server, open_session):
    async with open_session(tiny_server()) as session:
        client = await MatchClient.play(session, "tiny")
        await client.ready("n")
        with pytest.raises(ServerRefusedError) as caught:
            await client.guess("9")
        assert caught.value.code is ErrorCode.ILLEGAL_CODE
        assert await client.wait_for_move() is Phase.TURN


async def test_answer_to_other_guess_is_refused(tiny_server, open_session):
    server = tiny_server(rules="3x12")
    async with open_session(server) as session:
        client = await MatchClient.play(session, "tiny")
        await client.ready("n")
        await client.guess("abb")
        server.cheat = lambda event: event | {"code": "321"} if event["type"] == "feedback" else event
        with pytest.raises(BrokenRecordError, match=r"\b123\b.*\b321\b"):
            await client.guess("123")


async def test_lost_play_answer_and_cut_resume_match(tiny_server, open_session):
    """Cut after `play` and again after `resume`: the events are still fetched, from the first."""
    server = tiny_server()
    faults = iter([None, "swallow", None, "lose", None, "swallow"])
    server.fault = lambda request: next(faults, None)
    async with open_session(server) as session:
        client = await MatchClient.play(session, "tiny")
        assert client.view.record == server.matches[client.view.id].events
        await play_on(client)
    assert len(server.matches) == 1


async def test_cut_while_catching_up(tiny_server, open_session):
    server = tiny_server()
    async with open_session(server) as session:
        client = await MatchClient.play(session, "tiny")
        match = server.matches[client.view.id]
        first = match.events[0]
        once_more = server.answer
        server.answer = lambda request: (
            once_more(request)[:1] if request["type"] == "resume" and server.connections == 1 else once_more(request)
        )
        resuming = asyncio.create_task(MatchClient.resume(session, match.match))
        while not server.sent("resume"):
            await (await server.sockets[0].ping())
        server.sockets[0].transport.abort()
        assert (await resuming).view.record[0] == first


async def test_resign_game_then_match(tiny_server, open_session):
    async with open_session(tiny_server(games=4)) as session:
        client = await MatchClient.play(session, "tiny")
        await client.resign(1)
        assert await client.wait_for_move() is Phase.READY
        await client.resign()
        assert await client.wait_for_move() is Phase.OVER
    assert client.view.match.over.outcomes == ("resigned",) * 4


async def test_hint_or_none_after_cut(tiny_server, open_session):
    server = tiny_server(practice=True)
    async with open_session(server) as session:
        client = await MatchClient.play(session, "tiny")
        await client.ready("n")
        assert (await client.hint()).code == "111"
        server.fault = once("swallow", "hint")
        assert await client.hint() is None
        assert await client.wait_for_move() is Phase.TURN


async def test_resume_match_of_other_program(tiny_server, open_session):
    server = tiny_server(games=2)
    async with open_session(server) as session:
        first = await MatchClient.play(session, "tiny")
        await first.ready("n")
        await first.guess("112")
        client = await MatchClient.resume(session, first.view.id)
        assert client.view.record == first.view.record
        await play_on(client)
    assert client.view.match.over is not None


async def test_events_of_other_match_are_ignored(tiny_server, open_session):
    server = tiny_server()
    async with open_session(server) as session:
        first = await MatchClient.play(session, "tiny")
        await first.resign()
        second = await MatchClient.play(session, "tiny")
        await server.sockets[0].send(json.dumps(server.matches[first.view.id].events[0]))
        await play_on(second)
    assert second.view.record == server.matches[second.view.id].events
