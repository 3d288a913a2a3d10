"""The terminal client while its server is away, and when it is back: times, typed lines, another server."""

import asyncio
import os
import pty
import re
import tty
from types import SimpleNamespace

import pytest
from rich.console import Console

from evilpegs_clients.connection.match_view import Phase
from evilpegs_clients.errors import ServerRefusedError
from evilpegs_clients.terminal.input import Dialog, LineReader
from evilpegs_clients.terminal.screen import MatchScreen

CLOCK = {"base_ms": 60_000, "increment_ms": 1000}
LEFT = re.compile(r"\b(\d:\d\d)\b.*>")
PATIENCE = 30
"""Seconds to wait for a terminal before the test fails."""


async def test_time_counts_from_turn_after_reconnecting(tiny_server, play_terminal, stopped_clock, output):
    """The server does not charge the 45 s in which it was away, so the person still has a minute."""
    server = tiny_server(clock=CLOCK)

    async def cut():
        stopped_clock.seconds += 45
        server.sockets[-1].transport.abort()
        async with asyncio.timeout(PATIENCE):
            while ">" not in output.getvalue().partition("Connected again")[2]:  # noqa: ASYNC110 - output has no event
                await asyncio.sleep(0.001)
        stopped_clock.seconds += 5
        return ""

    printed = await play_terminal(server, "", cut, "resign", "y")
    *_, after = printed.partition("Connected again")
    assert LEFT.findall(after) == ["1:00", "0:55"]


async def test_time_to_begin_counts_down(tiny_server, play_terminal, stopped_clock):
    server = tiny_server(clock=CLOCK, games=2)

    def think():
        stopped_clock.seconds += 11
        return "help"

    output = await play_terminal(server, think, think, "q")
    assert re.findall(r"(\d+) seconds >", output) == ["60", "49", "38"]
    *_, farewell = output.rpartition("> q\n")
    assert re.findall(r"(\d+) seconds", farewell) == ["38"]


@pytest.mark.parametrize("name", ["ann", None])
async def test_another_server_at_the_address_is_named(tiny_server, play_terminal, output, name):
    server = tiny_server()

    async def replace():
        server.known.clear()
        if name is None:
            server.fault = lambda request: [REFUSAL] if request["type"] == "resume" else None
        server.sockets[-1].transport.abort()
        await asyncio.Event().wait()

    with pytest.raises(ServerRefusedError, match="ws://") as caught:
        await play_terminal(server, "112", replace, name=name)
    assert caught.value.code in {"auth_failed", "not_your_match"}
    assert output.getvalue().endswith("\n")


REFUSAL = {"type": "error", "code": "not_your_match", "message": "no", "fatal": False}


class PatientSeat:
    """A client of a match in which nothing happens."""

    view = SimpleNamespace(phase=Phase.TURN)

    async def ends_in_time(self, work, on_change):
        await asyncio.wait([work])
        return True


@pytest.fixture
def terminal():
    """The two ends of a terminal: where the person types, and what the program reads."""
    person, program = pty.openpty()
    yield person, program
    os.close(person)
    os.close(program)


async def type_at(person, text):
    """Type and wait until the terminal has echoed it."""
    os.write(person, text)
    seen = b""
    while text.strip() not in seen:
        seen += await asyncio.to_thread(os.read, person, 100)


async def test_lines_typed_while_away_are_not_sent(terminal, output):
    person, program = terminal
    reader = LineReader(program)
    dialog = Dialog(MatchScreen(Console(file=output, width=80)), reader, reader.discard, reader.take_unfinished)
    async with asyncio.timeout(PATIENCE):
        dialog.server_is_away()
        asking = asyncio.create_task(dialog.ask_in_turn(PatientSeat(), lambda: "1 >"))
        for line in (b"1122", b"3344"):
            await type_at(person, line + b"\n")
        while output.getvalue().count("Not sent") < 2:  # noqa: ASYNC110 - the terminal has no event for it
            await asyncio.sleep(0.001)
        await type_at(person, b"55")
        dialog.server_is_back()
        assert "55" in output.getvalue().splitlines()[-1]
        await type_at(person, b"113\n")
        assert await asking == "113"


async def test_player_can_leave_while_server_is_away(terminal, output):
    person, program = terminal
    reader = LineReader(program)
    dialog = Dialog(MatchScreen(Console(file=output, width=80)), reader, reader.discard, reader.take_unfinished)
    dialog.server_is_away()
    async with asyncio.timeout(PATIENCE):
        asking = asyncio.create_task(dialog.ask_in_turn(PatientSeat(), lambda: "1 >"))
        await type_at(person, b"quit\n")
        assert await asking == "quit"


def test_terminal_collects_lines_again_after_half_a_line_was_taken(terminal):
    person, program = terminal
    before = tty.tcgetattr(program)
    os.write(person, b"half")
    os.read(person, 100)
    assert LineReader(program).take_unfinished() == "half"
    assert tty.tcgetattr(program) == before
