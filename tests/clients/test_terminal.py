import asyncio
import json
from io import StringIO
from itertools import count

import pytest
from rich.console import Console

from evilpegs_clients.dialog import Dialog
from evilpegs_clients.errors import ServerUnreachableError
from evilpegs_clients.screen import Screen
from evilpegs_clients.terminal import run_terminal

CLOCK = {"base_ms": 60_000, "increment_ms": 1000}


@pytest.fixture(autouse=True)
def _same_secrets_each_time(monkeypatch):
    """The secrets follow from our nonces too; 112 and 111 are none of them."""
    numbers = count(1)
    monkeypatch.setattr("evilpegs_clients.terminal_match.secrets.token_hex", lambda size: f"nonce{next(numbers)}")


class Typed:
    """What the person types: lines, and in between functions that are awaited or called. Then the input ends."""

    def __init__(self, *script):
        self._script = list(script)

    async def __call__(self):
        while self._script:
            step = self._script.pop(0)
            line = step() if callable(step) else step
            line = await line if asyncio.iscoroutine(line) else line
            if line is not None:
                return line
        return None


@pytest.fixture
def told():
    return StringIO()


@pytest.fixture
def play(tokens, patience, listen, told):
    """Play at a tiny server, and give all that was printed; its address is written as SERVER."""

    async def run(server, *script, name="ann", **options):
        console = Console(file=told, **({"width": 120} | options))
        async with listen(server.converse) as url:
            await run_terminal(
                server=url,
                ladder="tiny",
                name=name,
                token_file=tokens.path,
                console=console,
                read_line=Typed(*script),
                patience=patience,
            )
        return told.getvalue().replace(url, "SERVER")

    return run


class Gone:
    """A seat at a match that goes on without an answer."""

    async def ends_in_time(self, work):
        return False


def secret(server):
    """What the person knows in the end."""

    def line():
        match = list(server.matches.values())[-1]
        return "".join("1234"[color] for color in match.live[0])

    return line


async def test_a_practice_game_from_first_to_last(tiny_server, play):
    server = tiny_server(practice=True)
    out = await play(server, "112", *[secret(server)] * 8)
    assert "You are ann at SERVER." in out
    assert "tiny-practice: 3 pegs against a fixed secret. No clock." in out
    assert "Colors  1  2  3  4 , which may repeat." in out
    assert "Guess 1 of 8 > 112\n  1   1  1  2 " in out
    assert "codes left" in out
    assert "Solved after" in out
    assert "Verified: the commitment and every reply hold." in out
    [match] = server.matches.values()
    assert match.ends[0][0] == "solved"
    assert match.client_nonce


async def test_an_evil_practice_game_shows_what_evil_chose_from(tiny_server, play):
    server = tiny_server(practice=True, codemaker="evil", tie="largest")
    out = await play(server, "112", "resign")
    assert "● a right color in the right place, ○ a right color in a wrong place." in out
    assert "against an evil codemaker, who has no secret yet" in out
    assert "evil kept the largest part:  [1,0: 17]  0,1: 14  2,0: 9  and 5 more: type parts\n" in out
    assert "Resigned after 1 guess." in out
    assert "A code that fits every reply:" in out
    assert "Verified" in out


async def test_a_devil_says_how_he_chose(tiny_server, play):
    server = tiny_server(practice=True, codemaker="devil", tie="largest")
    more = {"match_started": {"exact_up_to": 20}, "feedback": {"method": "greedy"}}
    server.cheat = lambda event: event | more.get(event["type"], {})
    out = await play(server, "112", "resign")
    assert "against a devil, who has no secret yet and thinks to the end" in out
    assert "the devil kept the largest part:  [1,0: 17]" in out
    assert "A code that fits every reply:" in out
    assert "Verified" in out


async def test_what_is_no_code_costs_nothing(tiny_server, play):
    server = tiny_server()
    out = await play(server, "11", "119", "hlep", "1 1 1", "resign", "y")
    assert "'11' has 2 pegs; 3x4 needs 3. Type help for the words." in out
    assert [request["code"] for request in server.sent("guess")] == ["111"]


async def test_help_board_and_hints(tiny_server, play):
    server = tiny_server(practice=True)
    out = await play(server, "help", "112", "", "?", "quit")
    assert "leave without resigning" in out
    assert out.count("  1   1  1  2 ") == 2
    assert "Try  " in out
    assert "- it why." in out


async def test_no_hints_on_rated_ladders(tiny_server, play):
    server = tiny_server()
    out = await play(server, "hint", "resign", "y")
    assert "Hints are for practice ladders" in out
    assert server.sent("hint") == []


async def test_a_clock_waits_for_the_person_and_is_shown(tiny_server, play):
    server = tiny_server(clock=CLOCK, games=2)
    readies = []

    def look():
        readies.append(len(server.sent("ready")))

    begin_and_resign = ["", "112", "resign", "y"]
    out = await play(server, "help", "hint", "112", "x", look, *begin_and_resign, look, "", "resign", "y")
    assert "60 seconds a game and 1 more after each guess" in out
    assert "Press Enter to start the clock, within 60 seconds >" in out
    assert out.count("The game has not begun: only Enter, with nothing before it, starts the clock.") == 2
    assert "Guess 1 of 8, 1:00 left >" in out
    assert "Guess 2 of 8, 1:01 left >" in out
    assert readies == [0, 1]
    assert "Game 1 of 2" in out
    assert "Game 2 of 2" in out
    assert "0 of 2 games solved, 1 guess." in out


@pytest.mark.parametrize("answer", ["", "n", "No"])
async def test_a_rated_game_is_not_given_up_by_mistake(tiny_server, play, answer):
    server = tiny_server(games=2)
    out = await play(server, "112", "resign", "resgin", answer, "resign match", answer)
    assert out.count("Give up game 1? It counts on the leaderboard. [y/N]") == 2
    assert "Type y or n." in out
    assert "Give up the match, with 2 games left? [y/N]" in out
    assert server.sent("resign") == []


async def test_a_game_lost_while_one_is_asked_is_not_given_up(tiny_server, play):
    server = tiny_server(clock=CLOCK)
    out = await play(server, "", "112", "resign", flag(server))
    assert "[y/N] \nYour time is up" in out
    assert server.sent("resign") == []


async def test_all_parts_are_shown_to_who_asks(tiny_server, play):
    server = tiny_server(practice=True, codemaker="evil", tie="largest")
    out = await play(server, "parts", "112", "parts", "", width=60)
    assert "Parts are shown of the last guess, on practice ladders." in out
    assert out.count("     evil kept the largest part:  [1,0: 17]  0,1: 14  2,0: 9\n     and 5 more: type parts\n") == 1
    assert "0,1: 14  2,0: 9\n     0,0: 8  1,1: 8  0,2: 5  1,2: 2  3,0: 1\n" in out
    assert out.count("  1   1  1  2 ") == 2
    assert out.count("evil kept") == 2


async def test_parts_against_a_fixed_secret_are_those_of_the_guess(tiny_server, play):
    out = await play(tiny_server(practice=True), "112", "parts")
    assert "     the parts of 112:  " in out
    assert "evil kept" not in out


async def test_resigning_the_match_shows_the_game_in_play_only(tiny_server, play):
    out = await play(tiny_server(games=4), "112", "resign match", "y")
    assert out.count("Resigned after") == 1
    assert "0 of 4 games solved" in out


def flag(server):
    """The time of the open game runs out."""

    async def happen():
        match = list(server.matches.values())[-1]
        seen = len(match.events)
        match.end("flagged")
        for event in match.events[seen:]:
            await server.sockets[-1].send(json.dumps(event))
        await asyncio.Event().wait()

    return happen


async def test_when_the_time_is_up_the_prompt_gives_way(tiny_server, play):
    server = tiny_server(clock=CLOCK)
    out = await play(server, "", "112", flag(server))
    assert "left > \nYour time is up after 1 guess." in out
    assert "The secret was" in out


async def test_what_was_typed_for_a_game_lost_on_time_is_forgotten(tiny_server, play, monkeypatch):
    forgotten = []
    monkeypatch.setattr("evilpegs_clients.terminal.Dialog.forget_typed_ahead", lambda dialog: forgotten.append(1))
    server = tiny_server(clock=CLOCK)
    await play(server, "", "112", flag(server))
    assert forgotten == [1]


async def test_a_line_that_came_too_late_answers_nothing(told):
    lines = iter(["late", "in time"])

    async def read():
        return next(lines)

    for forget, answer in ((lambda: True, "in time"), (lambda: False, "late")):
        lines = iter(["late", "in time"])
        dialog = Dialog(Screen(Console(file=told)), read, forget)
        assert await dialog.ask_at(Gone(), "Guess >") is None
        await asyncio.sleep(0.01)
        dialog.forget_typed_ahead()
        assert await dialog.ask("Enter >") == answer


async def test_a_cut_is_told_of_and_survived(tiny_server, play):
    server = tiny_server()
    faults = iter([None, None, None, "swallow"])
    server.fault = lambda request: next(faults, None)
    out = await play(server, "112", "resign", "y")
    assert "was cut; trying again in 0." in out
    assert out.count("  1   1  1  2 ") == 1
    assert "Verified" in out


@pytest.mark.parametrize("script", [["112", "quit"], ["112"]])
async def test_leaving_does_not_resign_and_one_can_come_back(tiny_server, play, script):
    server = tiny_server(games=2)
    out = await play(server, *script)
    assert "The match is not resigned: it is kept for an hour. To come back to it:" in out
    assert "  evilpegs play --name ann --server SERVER" in out
    [match] = server.matches.values()
    assert match.state == "turn"


async def test_leaving_a_clock_says_what_it_costs(tiny_server, play):
    out = await play(tiny_server(clock=CLOCK), "", "112", "q")
    assert "its clock runs, and a game that is not begun within 60 seconds is lost. To come back" in out.replace(
        "\n", " "
    )


async def test_coming_back(tiny_server, tokens, patience, listen, told):
    server = tiny_server()
    async with listen(server.converse) as url:
        options = {"server": url, "ladder": "tiny", "name": "ann", "token_file": tokens.path, "patience": patience}
        options["console"] = Console(file=told, width=100)
        await run_terminal(**options, read_line=Typed("112"))
        [match] = server.matches.values()
        told.truncate(0)
        await run_terminal(**options, read_line=Typed("resign", "yes", "resign", "y"))
        question = f"Your match {match.match} on tiny is not over: it is at game 1. Go on with it? [Y/n] "
        assert told.getvalue().count(question) == 2
        assert "Type y or n." in told.getvalue()
        assert "  1   1  1  2 " in told.getvalue()
        assert match.ends[0][:2] == ("resigned", 1)
        await run_terminal(**options, read_line=Typed("123"))
        told.truncate(0)
        await run_terminal(**options, read_line=Typed())
        assert "Go on with it? [Y/n] \nThe match is not resigned" in told.getvalue()
        await run_terminal(**options, read_line=Typed("n", "resign", "y"))
    assert [match.state for match in server.matches.values()] == ["over", "turn", "over"]


async def test_a_guest_can_come_back_too(tiny_server, play, tokens):
    out = await play(tiny_server(), "quit", name=None)
    assert "evilpegs play --name guest-1 --server SERVER" in out
    [names] = json.loads(tokens.path.read_text()).values()
    assert list(names) == ["guest-1"]


async def test_a_guest_whose_token_cannot_be_kept_is_told(tiny_server, play, tokens):
    tokens.path.write_text("damaged")
    assert "is damaged" in await play(tiny_server(), "quit", name=None)


async def test_an_interruption_says_goodbye_too(tiny_server, play, told):
    server, waiting = tiny_server(), asyncio.Event()

    async def wait():
        waiting.set()
        await asyncio.Event().wait()

    playing = asyncio.create_task(play(server, wait))
    await waiting.wait()
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert "The match is not resigned" in told.getvalue()


async def test_notices_are_passed_on(tiny_server, play):
    server = tiny_server()

    async def notify():
        notice = {"type": "notice", "kind": "draining", "message": "the server stops now"}
        await server.sockets[0].send(json.dumps(notice))
        await (await server.sockets[0].ping())
        return "resign"

    assert "The server says: the server stops now" in await play(server, notify)


async def test_a_cheat_is_told(tiny_server, play):
    server = tiny_server(games=1)
    server.cheat = lambda told: told | {"nonce": "0" * 64} if told["type"] == "game_over" else told
    out = await play(server, "112", "resign", "y")
    assert "NOT verified:" in out
    assert "game 1: the commitment does not fit the nonce" in out
    assert "NOT verified: match: the record was changed" in out


async def test_nobody_there(tokens, told):
    with pytest.raises(ServerUnreachableError):
        await run_terminal(
            server="ws://127.0.0.1:9",
            ladder="tiny",
            token_file=tokens.path,
            console=Console(file=told),
            read_line=Typed(),
        )


async def test_a_terminal_with_colors_has_the_symbols_too(tiny_server, play):
    out = await play(tiny_server(), "112", "resign", force_terminal=True, color_system="truecolor")
    assert "\x1b[1;30;48;" in out  # a style that was shown in fewer colors before keeps them
    assert " 1 \x1b[0m" in out
