"""`evilpegs play`."""

import asyncio
import re
import signal
import subprocess
import sys
import termios

import pytest

from evilpegs.errors import CommandError
from evilpegs.main import app


@pytest.fixture
def type_in(run, monkeypatch, tmp_path):
    """Run `play` in this process with this text on standard input."""

    def type_in(text, *options):
        (tmp_path / "typed").write_text(text)
        with (tmp_path / "typed").open() as typed:
            monkeypatch.setattr(sys, "stdin", typed)
            return run("play", *options)

    return type_in


def test_play_resigns_typed_game(run, type_in, server):
    result = type_in("hint\n1122\nresign\n", "--server", server.url, "--ladder", "classic-evil-practice")
    assert (result.status, result.err) == (0, "")
    assert "[0,0: 256]" in result.out
    (game,) = run("replay", "last", "--no-analysis", "--database", server.database, "--json").document["games"]
    assert (game["outcome"], [turn["code"] for turn in game["turns"]]) == ("resigned", ["1122"])


def test_interrupted_play_shows_command_to_return(start, server):
    child = start("play", "--server", server.url, "--name", "leaving", stdin=subprocess.PIPE)
    assert re.search(rf"\bleaving\b.* {server.url}", child.next_line())
    assert child.next_line().startswith("classic-practice: 4 ")
    result = child.end(signal.SIGINT)
    assert result.status == 130
    assert f"evilpegs play --name leaving --server {server.url}" in result.out
    assert result.err == ""


@pytest.fixture
def play_at_terminal(start, server, keyboard, monkeypatch):
    """Start the command at a terminal, and wait until it asks for a guess."""

    async def play_at_terminal(*options):
        monkeypatch.setenv("TERM", "xterm")
        terminal = {"stdin": keyboard.program, "stdout": keyboard.program}
        child = start("play", "--server", server.url, *options, **terminal)
        await keyboard.shows("Guess 1 of 10 >")
        return child

    return play_at_terminal


async def test_play_edits_guess_at_terminal(play_at_terminal, keyboard):
    child = await play_at_terminal("--ladder", "classic-evil-practice")
    keyboard.type("1132\x1b[D\x7f2\r")
    await keyboard.shows("Guess 2 of 10 >")
    assert "Guess 1 of 10 > 1122" in keyboard.lines
    keyboard.type("\x1b[A\r")
    await keyboard.shows("Guess 3 of 10 >")
    assert "Guess 2 of 10 > 1122" in keyboard.lines
    keyboard.type("resign\r")
    assert (await asyncio.to_thread(child.end)).status == 0


@pytest.mark.parametrize(
    ("typed", "number", "status"),
    [
        ("11\x03", None, 130),
        pytest.param("\x04", None, 0, marks=pytest.mark.full),
        pytest.param("11", signal.SIGTERM, 143, marks=pytest.mark.full),
    ],
)
async def test_left_terminal_is_as_before(play_at_terminal, keyboard, typed, number, status):
    before = termios.tcgetattr(keyboard.program)
    child = await play_at_terminal()
    keyboard.type(typed)
    if number is not None:
        await keyboard.shows(typed)
    result = await asyncio.to_thread(child.end, number)
    assert (result.status, result.err) == (status, "")
    farewell, command = [line for line in keyboard.lines if line][-2:]
    assert "not resigned" in farewell
    assert command.startswith("  evilpegs play --name guest-")
    assert termios.tcgetattr(keyboard.program) == before


def test_play_on_rated_ladder_requires_name(type_in, server):
    result = type_in("", "--server", server.url, "--ladder", "classic")
    assert result.status == 2
    assert all(fact in result.complaint for fact in ("--name NAME", "guests"))


def test_play_without_server_is_refused(type_in):
    result = type_in("", "--server", "ws://127.0.0.1:1/v1")
    assert (result.status, result.out) == (2, "")
    assert all(fact in result.complaint for fact in ("ws://127.0.0.1:1/v1", "evilpegs serve"))


def test_play_without_input_is_refused(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    result = run("play")
    assert result.status == 2
    assert result.complaint
    with pytest.raises(CommandError):
        app(["play"])


def test_daily_game_needs_no_server(type_in, monkeypatch):
    monkeypatch.setenv("EVILPEGS_SERVER", "ws://127.0.0.1:1/v1")
    result = type_in("1233\nresign\n", "--daily", "--date", "2026-11-22")
    assert (result.status, result.err) == (0, "")
    assert result.out.endswith(
        "evilpegs daily 2026-11-22 4x6 evil X/10\n····\n⚪···\nevilpegs play --daily --date 2026-11-22\n"
    )


def test_challenge_needs_no_server(type_in, monkeypatch):
    monkeypatch.setenv("EVILPEGS_SERVER", "ws://127.0.0.1:1/v1")
    link = "http://192.0.2.10:8000/#/play/4x6-fixed?seed=friend&v=1"
    result = type_in("1122\nresign\n", "--challenge", link)
    assert (result.status, result.err) == (0, "")
    assert result.out.endswith(f"evilpegs 4x6 fixed X/10\n⚪···\n{link}\n")
