"""The terminal client while its server is away, and when it is back: times, typed lines, another server."""

import asyncio
import re
from types import SimpleNamespace

import pytest

from evilpegs_clients.connection.match_view import Phase
from evilpegs_clients.errors import ServerRefusedError
from evilpegs_clients.play.match_dialog import MatchDialog
from evilpegs_clients.play.match_screen import MatchScreen
from support.waiting import until

CLOCK = {"base_ms": 60_000, "increment_ms": 1000}
LEFT = re.compile(r"\b(\d:\d\d)\b.*>")


async def test_time_counts_from_turn_after_reconnecting(tiny_server, play_terminal, stopped_clock, output):
    """The server does not charge the 45 s in which it was away, so the person still has a minute."""
    server = tiny_server(clock=CLOCK)

    async def cut():
        stopped_clock.seconds += 45
        server.sockets[-1].transport.abort()
        await until(lambda: ">" in output.getvalue().partition("Connected again")[2])
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


async def test_lines_typed_while_away_are_not_sent(keyboard):
    dialog = MatchDialog(MatchScreen(keyboard.open_prompt()))
    dialog.is_away = True
    asking = asyncio.create_task(dialog.ask_in_turn(PatientSeat(), lambda: "1 >"))
    await keyboard.shows("1 >")
    for line in ("1122", "3344"):
        keyboard.type(f"{line}\r")
        await keyboard.shows(f"away: {line}\n1 >")
    keyboard.type("1")
    await keyboard.shows("1 > 1")
    dialog.is_away = False
    keyboard.type("13\r")
    assert await asking == "113"


async def test_player_can_leave_while_server_is_away(keyboard):
    dialog = MatchDialog(MatchScreen(keyboard.open_prompt()))
    dialog.is_away = True
    asking = asyncio.create_task(dialog.ask_in_turn(PatientSeat(), lambda: "1 >"))
    await keyboard.shows("1 >")
    keyboard.type("quit\r")
    assert await asking == "quit"
