"""Facts about the terminal client; its texts are compared as a whole in test_terminal_snapshots.py."""

import asyncio
import json
import re

import pytest
from rich.console import Console

from evilpegs_clients.errors import ServerUnreachableError
from evilpegs_clients.play.app import run_terminal
from evilpegs_clients.play.match_dialog import MatchDialog
from evilpegs_clients.play.match_screen import HELP, NOT_VERIFIED, OPPONENTS, OUTCOMES, VERIFIED, MatchScreen
from evilpegs_clients.terminal.prompt import Prompt
from support.person import Typed, first_candidate, flag, notify
from support.waiting import loop_turns, until

CLOCK = {"base_ms": 60_000, "increment_ms": 1000}
ROW_OF_112 = "  1   1  1  2 "
PART = re.compile(r"\d,\d: \d+")


class AbandonedSeat:
    """A client of a match that moves on without an answer."""

    async def ends_in_time(self, work, on_change):
        return False


def lines_of(output, text):
    return [line for line in output.splitlines() if text in line]


def numbers(text):
    return [int(number) for number in re.findall(r"\d+", text)]


async def test_terminal_plays_practice_game(tiny_server, play_terminal):
    server = tiny_server(practice=True)
    output = await play_terminal(server, "112", *[first_candidate(server)] * 8)
    assert all(text in output for text in ("ann", "SERVER", "tiny-practice", OPPONENTS["fixed"], " 1  2  3  4 "))
    assert re.search(r"\b1\b.*\b8 > 112\n" + ROW_OF_112, output)
    [match] = server.matches.values()
    left = [event["candidates"] for event in match.events if event["type"] == "feedback"]
    assert numbers(lines_of(output, ROW_OF_112)[0])[-1] == left[0]
    assert match.ends[0][0] == "solved"
    [solved] = lines_of(output, OUTCOMES["solved"])
    assert numbers(solved) == [match.ends[0][1]]
    assert VERIFIED in output
    assert match.client_nonce == "nonce1"


async def test_terminal_shows_parts_of_evil(tiny_server, play_terminal):
    server = tiny_server(practice=True, codemaker="evil", tie="largest")
    output = await play_terminal(server, "112", "resign")
    assert {"●", "○"} <= set(output)
    assert OPPONENTS["evil"] in output
    [parts] = lines_of(output, "[1,0: 17]")
    assert PART.findall(parts) == ["1,0: 17", "0,1: 14", "2,0: 9"]
    assert re.search(r"\b5\b.*\bparts$", parts)
    assert numbers(lines_of(output, OUTCOMES["resigned"])[0]) == [1]
    assert lines_of(output, " 1  3  3 ")  # a code that fits every reply
    assert VERIFIED in output


async def test_terminal_shows_parts_of_devil(tiny_server, play_terminal):
    server = tiny_server(practice=True, codemaker="devil", tie="largest")
    more = {"match_started": {"exact_up_to": 20}, "feedback": {"method": "greedy"}}
    server.cheat = lambda event: event | more.get(event["type"], {})
    output = await play_terminal(server, "112", "resign")
    assert OPPONENTS["devil"] in output
    assert len(lines_of(output, "[1,0: 17]")) == 1
    assert lines_of(output, " 1  3  3 ")
    assert VERIFIED in output


async def test_refused_code_costs_no_guess(tiny_server, play_terminal):
    server = tiny_server()
    output = await play_terminal(server, "11", "119", "hlep", "1 1 1", "resign", "y")
    assert [len(lines_of(output, text)) for text in ("'11'", "'119'", "'hlep'")] == [1, 1, 1]
    assert "3x4" in lines_of(output, "'11'")[0]
    assert [request["code"] for request in server.sent("guess")] == ["111"]


async def test_help_board_and_hint_words(tiny_server, play_terminal):
    server = tiny_server(practice=True)
    output = await play_terminal(server, "help", "112", "", "?", "quit")
    assert HELP in output
    assert output.count(ROW_OF_112) == 2
    [match] = server.matches.values()
    hinted = "".join(f" {'1234'[color]} " for color in match.live[0])
    assert len(lines_of(output, hinted)) == 1
    assert "why" in lines_of(output, hinted)[0]
    assert len(server.sent("hint")) == 1


async def test_hint_that_cannot_be_computed_is_said_to_be_missing(tiny_server, play_terminal):
    server = tiny_server(practice=True)
    refusal = {"type": "error", "code": "internal", "message": "no hint could be computed", "fatal": False}
    server.fault = lambda request: [refusal] if request["type"] == "hint" else None
    output = await play_terminal(server, "hint", "112", "quit")
    assert len(lines_of(output, "no hint")) == 1
    assert len(server.sent("guess")) == 1


async def test_rated_ladder_gives_no_hint(tiny_server, play_terminal):
    server = tiny_server()
    output = await play_terminal(server, "hint", "resign", "y")
    assert "-practice" in output
    assert server.sent("hint") == []


async def test_clock_starts_when_player_is_ready(tiny_server, play_terminal, stopped_clock):
    server = tiny_server(clock=CLOCK, games=2)
    readies = []

    def look():
        readies.append(len(server.sent("ready")))

    def wait():
        stopped_clock.seconds += 11.5

    begin_and_resign = ["", "112", wait, "11", "resign", "y"]
    script = ["help", "hint", "112", "x", look, *begin_and_resign, look, "", "resign", "y"]
    output = await play_terminal(server, *script)
    assert readies == [0, 1]
    prompts = re.findall(r"\b(\d) \w+ 8\b.*\b(\d:\d\d)\b.*>", output)
    assert prompts == [("1", "1:00"), ("2", "1:01"), ("2", "0:50"), ("1", "1:00")]
    starts = [line for line in output.splitlines() if "60" in line and " >" in line]
    assert [line.rpartition(">")[2].strip() for line in starts] == ["help", "hint", "112", "x", "", ""]
    assert [request["code"] for request in server.sent("guess")] == ["112"]
    assert numbers(output.splitlines()[-1]) == [0, 2, 1]


@pytest.mark.parametrize("answer", ["", "n", "No"])
async def test_resigning_rated_game_needs_confirmation(tiny_server, play_terminal, answer):
    server = tiny_server(games=2)
    output = await play_terminal(server, "112", "resign", "resgin", answer, "resign match", answer)
    [game, again, match] = lines_of(output, "[y/N]")
    assert game.partition("[y/N]")[0] == again.partition("[y/N]")[0]
    assert (numbers(game), numbers(match)) == ([1], [2])
    assert server.sent("resign") == []


async def test_flag_ends_question_about_resigning(tiny_server, play_terminal):
    server = tiny_server(clock=CLOCK)
    output = await play_terminal(server, "", "112", "resign", flag(server))
    assert f"[y/N] \n{OUTCOMES['flagged']}" in output
    assert server.sent("resign") == []


async def test_parts_word_shows_all_parts(tiny_server, play_terminal):
    server = tiny_server(practice=True, codemaker="evil", tie="largest")
    output = await play_terminal(server, "parts", "112", "parts", "", width=60)
    assert PART.findall(output.partition(ROW_OF_112)[0]) == []
    few, every = (output[place.start() :] for place in re.finditer(r"\[1,0: 17\]", output))
    sizes = ["1,0: 17", "0,1: 14", "2,0: 9", "0,0: 8", "1,1: 8", "0,2: 5", "1,2: 2", "3,0: 1"]
    assert PART.findall(every) == sizes
    assert PART.findall(few) == [*sizes[:3], *sizes]
    assert "  2,0: 9\n" in few
    assert "2,0: 9\n     0,0: 8  1,1: 8  0,2: 5  1,2: 2  3,0: 1\n" in every
    assert output.count(ROW_OF_112) == 2


async def test_parts_of_fixed_secret_mark_none(tiny_server, play_terminal):
    server = tiny_server(practice=True)
    output = await play_terminal(server, "112", "parts")
    [feedback] = [event for event in next(iter(server.matches.values())).events if event["type"] == "feedback"]
    sizes = sorted((f"{black},{white}: {size}" for black, white, size in feedback["parts"]))
    assert sorted(PART.findall(output)) == sizes


async def test_resigned_match_shows_open_game_only(tiny_server, play_terminal):
    output = await play_terminal(tiny_server(games=4), "112", "resign match", "y")
    assert output.count(OUTCOMES["resigned"]) == 1
    assert numbers(output.splitlines()[-1]) == [0, 4, 1]


async def test_flag_ends_prompt(tiny_server, play_terminal):
    server = tiny_server(clock=CLOCK)
    output = await play_terminal(server, "", "112", flag(server))
    assert f"> \n{OUTCOMES['flagged']}" in output
    [match] = server.matches.values()
    secret = "".join(f" {'1234'[color]} " for color in match.secret)
    assert secret in output.partition(OUTCOMES["flagged"])[2]


async def test_flag_forgets_typed_lines(tiny_server, play_terminal):
    forgotten = []
    server = tiny_server(clock=CLOCK)
    await play_terminal(server, "", "112", flag(server), discard=lambda: bool(forgotten.append("typed ahead")))
    assert len(forgotten) == 1


@pytest.mark.parametrize(("can_forget", "answer"), [(True, "next"), (False, "late")])
async def test_late_line_answers_nothing(output, can_forget, answer):
    lines = iter(["late", "next"])

    async def read():
        return next(lines)

    prompt = Prompt(Console(file=output), read)
    prompt.discard = lambda: can_forget
    dialog = MatchDialog(MatchScreen(prompt))
    assert await dialog.ask_in_turn(AbandonedSeat(), lambda: "1 >") is None
    await loop_turns(5)  # until the late line is read
    dialog.discard_typed_ahead()
    assert await dialog.ask("2 >") == answer


async def test_terminal_survives_cut(tiny_server, play_terminal, sleeps):
    server = tiny_server()
    faults = iter([None, None, None, "swallow"])
    server.fault = lambda request: next(faults, None)
    output = await play_terminal(server, "112", "resign", "y")
    [seconds] = sleeps
    assert len(lines_of(output, f" {seconds:.1f} s")) == 1
    assert output.count("Connected again") == 1
    assert output.count(ROW_OF_112) == 1
    assert VERIFIED in output


async def test_board_and_prompt_return_after_cut(tiny_server, play_terminal):
    """The server goes away while the person thinks; their next guess is typed when it is back."""
    server = tiny_server()

    async def cut():
        server.sockets[-1].transport.abort()
        await until(lambda: len(server.sockets) == 2)
        return "113"

    output = await play_terminal(server, "112", cut, "resign", "y")
    *_, after = output.partition("Connected again")
    assert after.count(ROW_OF_112) == 1
    assert [event["code"] for event in only_match(server).events if event["type"] == "feedback"] == ["112", "113"]


async def test_guess_typed_during_cut_is_sent(tiny_server, play_terminal):
    server = tiny_server()

    async def cut():
        server.sockets[-1].transport.abort()
        return "113"

    output = await play_terminal(server, "112", cut, "resign", "y")
    assert [event["code"] for event in only_match(server).events if event["type"] == "feedback"] == ["112", "113"]
    assert VERIFIED in output


def only_match(server):
    [match] = server.matches.values()
    return match


async def test_lost_guess_is_reported(tiny_server, play_terminal):
    """The flag falls while the guess waits for the server."""
    server = tiny_server(clock=CLOCK, games=2)

    async def cut():
        only_match(server).end("flagged")
        server.sockets[-1].transport.abort()
        return "113"

    output = await play_terminal(server, "", "112", cut, "", "resign", "y")
    typed, said = lines_of(output, "113")
    assert typed.startswith("Guess 2")
    assert "Guess 2" not in said


@pytest.mark.parametrize("script", [["112", "quit"], ["112"]])
async def test_leaving_keeps_match(tiny_server, play_terminal, script):
    server = tiny_server(games=2)
    output = await play_terminal(server, *script)
    assert output.splitlines()[-1].strip() == "evilpegs play --name ann --server SERVER"
    [match] = server.matches.values()
    assert match.state == "turn"


async def test_leaving_timed_match_names_time_limit(tiny_server, play_terminal):
    server = tiny_server(clock=CLOCK)
    output = await play_terminal(server, "", "112", "q")
    *_, end = output.rpartition("> q\n")
    assert numbers(end) == [60]
    assert end.splitlines()[-1].strip() == "evilpegs play --name ann --server SERVER"
    [match] = server.matches.values()
    assert match.state == "turn"


async def test_open_match_is_offered_again(tiny_server, terminal_at, output):
    server = tiny_server()
    async with terminal_at(server, width=100) as run:
        await run("112")
        [match] = server.matches.values()
        output.truncate(0)
        await run("resign", "yes", "resign", "y")
        first, second = lines_of(output.getvalue(), "[Y/n]")
        assert first.partition("[Y/n]")[0] == second.partition("[Y/n]")[0]
        assert match.match in first
        assert ROW_OF_112 in output.getvalue()
        assert match.ends[0][:2] == ("resigned", 1)
        await run("123")
        output.truncate(0)
        await run()
        assert "[Y/n] \n" in output.getvalue()
        assert "evilpegs play --name ann" in output.getvalue()
        await run("n", "", "resign", "y")
        assert [match.state for match in server.matches.values()] == ["over", "turn", "over"]
        await run("n", "y", "resign", "y")
    assert [match.state for match in server.matches.values()] == ["over", "over", "over", "over"]


async def test_guest_token_is_kept_on_leaving(tiny_server, play_terminal, tokens):
    output = await play_terminal(tiny_server(), "quit", name=None)
    assert "evilpegs play --name guest-1 --server SERVER" in output
    [names] = json.loads(tokens.path.read_text()).values()
    assert list(names) == ["guest-1"]


async def test_guest_learns_of_damaged_token_file(tiny_server, play_terminal, tokens):
    tokens.path.write_text("damaged")
    output = await play_terminal(tiny_server(), "quit", name=None, width=1000)
    assert str(tokens.path) in output
    assert "evilpegs play" not in output


async def test_interruption_names_way_back(tiny_server, play_terminal, output):
    server, waiting = tiny_server(), asyncio.Event()

    async def wait():
        waiting.set()
        await asyncio.Event().wait()

    playing = asyncio.create_task(play_terminal(server, wait))
    await waiting.wait()
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert "evilpegs play --name ann" in output.getvalue()


async def test_notice_is_shown(tiny_server, play_terminal):
    server = tiny_server()
    output = await play_terminal(server, notify(server, "maintenance"), "resign", "y")
    assert len(lines_of(output, "maintenance")) == 1


async def test_dishonest_server_is_reported(tiny_server, play_terminal):
    server = tiny_server(games=1)
    server.cheat = lambda event: event | {"nonce": "0" * 64} if event["type"] == "game_over" else event
    output = await play_terminal(server, "112", "resign", "y")
    game, match = lines_of(output, NOT_VERIFIED)
    assert game == NOT_VERIFIED
    assert len(match) > len(NOT_VERIFIED)
    assert VERIFIED not in output


async def test_terminal_without_server_fails(tokens, output):
    with pytest.raises(ServerUnreachableError):
        await run_terminal(
            server="ws://127.0.0.1:9",
            ladder="tiny",
            token_file=tokens.path,
            prompt=Prompt(Console(file=output), Typed()),
        )


async def test_colored_pegs_keep_symbols(tiny_server, play_terminal):
    output = await play_terminal(tiny_server(), "112", "resign", force_terminal=True, color_system="truecolor")
    assert "\x1b[1;30;48;" in output  # a style that was shown in fewer colors before keeps them
    assert " 1 \x1b[0m" in output


async def test_terminal_says_that_key_of_server_changed(tiny_server, terminal_at):
    server = tiny_server(practice=True)
    named = iter(["A" * 43, "A" * 43, "B" * 43])

    def cheat(message):
        if message["type"] == "welcome":
            message["server"] = message["server"] | {"key": next(named)}
        return message

    server.cheat = cheat
    async with terminal_at(server) as run:
        for changes in (0, 0, 1):
            output = await run("resign", "y")
            assert output.count("A" * 43) == changes
    assert output.count("B" * 43) == 1
