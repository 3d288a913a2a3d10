"""Text of a hostile server never commands the terminal, wherever the server puts it."""

import json

import pytest

from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.errors import ClientError, ServerRefusedError
from evilpegs_clients.printable import printable
from evilpegs_clients.strategies.consistent import FirstConsistent
from evilpegs_clients.verification.violation import Violation

HOSTILE = "a\x1b]0;owned\x07\x1b[2J\u202ecod\u2028\x9b31m\r\nb"
"""A title of the window, clearing the screen, a change of direction, a line separator and the C1 form of ESC [."""
CLEANED = "a?]0;owned??[2J?cod??31m??b"


def is_clean(text):
    return all(symbol.isprintable() or symbol == "\n" for symbol in text) and "owned" in text


def test_printable_replaces_what_commands_a_terminal():
    assert not is_clean(HOSTILE)
    assert printable(HOSTILE) == CLEANED
    assert printable("Grüße, 你好 ●○") == "Grüße, 你好 ●○"


def replace(kind, **fields):
    """Return a cheat that puts hostile text into messages of one type."""
    return lambda event: event | fields if event["type"] == kind else event


@pytest.mark.parametrize(
    ("kind", "fields", "script"),
    [
        ("hint", {"why": HOSTILE}, ["hint", "resign"]),
        ("hint", {"code": HOSTILE}, ["hint", "resign"]),
        ("game_over", {"secret": HOSTILE}, ["112", "resign"]),
        ("feedback", {"code": HOSTILE}, ["112"]),
        ("welcome", {"player": HOSTILE}, []),
        ("match_started", {"rules": HOSTILE}, []),
    ],
)
async def test_terminal_cleans_messages(tiny_server, play_terminal, output, kind, fields, script):
    server = tiny_server(practice=True)
    server.cheat = replace(kind, **fields)
    try:
        await play_terminal(server, *script)
    except ClientError as error:
        output.write(str(error))
    shown = output.getvalue()
    assert all(symbol.isprintable() or symbol == "\n" for symbol in shown)
    assert ("owned" in shown.replace(" ", "")) is (kind in ("hint", "game_over", "feedback"))


@pytest.mark.parametrize("request_type", ["hello", "play", "ready", "guess"])
async def test_refusals_are_cleaned(tiny_server, play_terminal, request_type):
    server = tiny_server(practice=True)
    refusal = {"type": "error", "code": "bad_message", "message": HOSTILE, "fatal": False}
    server.fault = lambda request: [refusal] if request["type"] == request_type else None
    with pytest.raises(ServerRefusedError) as caught:
        await play_terminal(server, "112")
    assert str(caught.value) == CLEANED
    assert caught.value.message == CLEANED


async def test_notices_are_cleaned(tiny_server, play_terminal, output):
    server = tiny_server(practice=True)

    async def notify():
        await server.sockets[-1].send(json.dumps({"type": "notice", "kind": "draining", "message": HOSTILE}))
        await (await server.sockets[-1].ping())

    assert is_clean(await play_terminal(server, notify, "resign"))


async def test_close_reasons_are_cleaned(tiny_server, play_terminal, output):
    server = tiny_server(practice=True)

    async def close():
        await server.sockets[-1].close(4000, HOSTILE)

    assert is_clean(await play_terminal(server, close, "resign", "resign"))


async def test_violations_of_hostile_record_are_clean(tiny_server, listen, tokens, retry_policy):
    server = tiny_server(codemaker="evil", tie="largest")
    server.cheat = replace("game_over", secret=HOSTILE)
    async with listen(server.converse) as url:
        options = {"token_file": tokens.path, "retry_policy": retry_policy, "name": "ann"}
        summary = await play_matches(server=url, ladder="tiny", strategy=FirstConsistent(), **options)
    assert not summary.verified
    assert all(map(str.isprintable, map(str, summary.games[0].violations)))


def test_violations_are_cleaned():
    assert str(Violation(HOSTILE, 1, 2)).endswith(CLEANED)
