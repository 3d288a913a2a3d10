"""Every hostile frame is answered by a typed error, and the match continues wherever WebSocket allows it."""

import contextlib
import json

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from evilpegs_game.codes import all_codes, column_code, format_code
from evilpegs_game.feedback import feedback
from evilpegs_game.rules import Rules
from support.hostile_peer import text
from support.servers import dial

GUESS = '{"type":"guess","match":"%s","game":1,"turn":1,"code":"1122"%s}'

SURVIVED = {
    "binary": (lambda match: (GUESS % (match, "")).encode(), "bad_json"),
    "5 KiB": (lambda match: GUESS % (match, " " * 5000), "too_big"),
    "brackets within the limit": (lambda match: "[" * 4000, "bad_json"),
    "not JSON": (lambda match: "{", "bad_json"),
    "nothing": (lambda match: "", "bad_json"),
    "NaN": (lambda match: GUESS % (match, ',"x":NaN'), "bad_json"),
    "duplicate keys": (lambda match: GUESS % (match, ',"turn":1'), "bad_json"),
    "NUL": (lambda match: GUESS % (match, ',"id":"\\u0000"'), "bad_json"),
    "lone surrogate": (lambda match: GUESS % (match, ',"id":"\\ud800"'), "bad_message"),
    "5,000 digits": (lambda match: '{"type":"ping","c":%s}' % ("9" * 4000), "bad_message"),
    "a list": (lambda match: "[1]", "bad_message"),
    "unknown field": (lambda match: GUESS % (match, ',"cheat":1'), "bad_message"),
    "unknown type": (lambda match: '{"type":"cheat"}', "unknown_type"),
    "type of wrong type": (lambda match: '{"type":{"a":[]}}', "unknown_type"),
    "wrong types": (lambda match: '{"type":"guess","match":7,"game":"1","turn":true,"code":[]}', "bad_message"),
    "turn 0": (lambda match: (GUESS % (match, "")).replace('"turn":1', '"turn":0'), "bad_message"),
    "turn 1.0": (lambda match: (GUESS % (match, "")).replace('"turn":1', '"turn":1.0'), "bad_message"),
    "future turn": (lambda match: (GUESS % (match, "")).replace('"turn":1', '"turn":2'), "future_turn"),
    "future game": (lambda match: (GUESS % (match, "")).replace('"game":1', '"game":2'), "future_turn"),
    "no such match": (lambda match: GUESS % ("0" * 16, ""), "not_your_match"),
    "illegal code": (lambda match: (GUESS % (match, "")).replace('"1122"', '"112Z"'), "illegal_code"),
    "odd code": (lambda match: (GUESS % (match, "")).replace('"1122"', '"\U0001f608\'; --"'), "illegal_code"),
    "hello again": (lambda match: '{"type":"hello","client":{"name":"x","version":"1"}}', "bad_message"),
    "no such ladder": (lambda match: '{"type":"play","ladder":"cheat"}', "unknown_ladder"),
    "hint on a rated ladder": (lambda match: f'{{"type":"hint","match":"{match}"}}', "not_practice"),
}


async def solve(raw, match, game=1):
    """Play the first consistent code until the game is over; return the message that ends the game."""
    columns = all_codes(Rules.parse("4x6"))
    live = [column_code(columns, index) for index in range(columns.shape[1])]
    for turn in range(1, 11):
        guess = live[0]
        given = await raw.guess(match, game, turn, format_code(guess))
        assert given["type"] == "feedback", given
        seen = (given["black"], given["white"])
        live = [code for code in live if feedback(guess, code) == seen]
        if seen == (4, 0):
            break
    return await raw.hear("game_over")


async def test_refused_frames_get_typed_errors(raw):
    """After all of them the match goes on."""
    match = await raw.play("classic-evil")
    for kind, (frame, code) in SURVIVED.items():
        await raw.send(frame(match))
        error = await raw.hear()
        assert (error["type"], error["code"], error["fatal"]) == ("error", code, False), kind
    over = await solve(raw, match)
    assert over["outcome"] in {"solved", "unsolved"}


FATAL = {
    "bad UTF-8": (Opcode.TEXT, b'{"type":"ping","c":1,"id":"\xff\xfe"}', 1007),
    "100,000 brackets": (Opcode.TEXT, b"[" * 100_000, 1009),
    "1 MiB of binary": (Opcode.BINARY, b"\0" * (1 << 20), 1009),
}


@pytest.fixture
async def stack():
    async with contextlib.AsyncExitStack() as stack:
        yield stack


async def test_forbidden_frame_closes_connection_not_match(server, raw, stack):
    match, token = await raw.play("classic-evil"), raw.token
    for opcode, payload, code in FATAL.values():
        raw.socket.protocol.writes.append(Frame(opcode, payload).serialize(mask=True))
        raw.socket.send_data()
        assert await raw.closed() == code
        raw = await stack.enter_async_context(dial(server.url))
        welcome = await raw.hello(token=token)
        assert [each["match"] for each in welcome["open"]] == [match]
        await raw.ask("turn", type="resume", match=match, seq=0)
    assert (await solve(raw, match))["outcome"] in {"solved", "unsolved"}


async def test_match_of_other_player_is_refused(server, raw):
    match = await raw.play("classic-evil")
    async with dial(server.url) as stranger:
        await stranger.hello()
        for message in (
            {"type": "guess", "match": match, "game": 1, "turn": 1, "code": "1122"},
            {"type": "resign", "match": match},
            {"type": "resume", "match": match, "seq": 0},
            {"type": "ready", "match": match, "game": 1},
            {"type": "hint", "match": match},
        ):
            assert (await stranger.ask(**message))["code"] == "not_your_match"
    assert (await solve(raw, match))["outcome"] in {"solved", "unsolved"}


async def test_messages_before_hello_are_refused(server):
    async with dial(server.url) as silent:
        for message in (
            {"type": "play", "ladder": "classic-practice"},
            {"type": "guess", "match": "0" * 16, "game": 1, "turn": 1, "code": "1122"},
            {"type": "resume", "match": "0" * 16, "seq": 0},
        ):
            assert (await silent.ask(**message))["code"] == "auth_required"
        assert (await silent.ask(type="ping", c=7))["c"] == 7


async def test_flood_is_limited_but_guesses_pass(raw):
    match = await raw.play("classic-evil")
    raw.socket.transport.write(text(type="ping", c=1) * 400)  # at once, because the server counts them per second
    answers = [await raw.hear() for _ in range(400)]
    refused = [answer for answer in answers if answer["type"] == "error"]
    assert {answer["code"] for answer in refused} == {"rate_limited"}
    assert all(answer["retry_after_ms"] > 0 for answer in refused)
    assert (await solve(raw, match))["outcome"] in {"solved", "unsolved"}


async def test_endless_flood_gets_one_fatal_error_and_closes_connection(raw):
    raw.socket.transport.write(text(type="ping", c=1) * 3000)
    fatal = []

    async def hear_all():
        while True:
            fatal.append((await raw.hear()).get("fatal", False))

    with pytest.raises(ConnectionClosed) as closed:
        await hear_all()
    assert (sum(fatal), closed.value.rcvd.code) == (1, 1008)


async def test_errors_repeat_only_request_id(raw):
    await raw.say(type="play", ladder="nosuchladder", id='a "b" \\ c')
    error = await raw.hear()
    assert error["re"] == 'a "b" \\ c'
    await raw.send(json.dumps({"type": "ping", "c": "smuggled-text"}))
    assert "smuggled" not in json.dumps(await raw.hear())
