"""`evilpegs watch`: boards from events, their view, and the command beside a real server."""

import asyncio
import io
import json
import os
import pty
import re
import signal
import sys
import threading

import pytest
from rich.console import Console

from evilpegs.commands.watch import MAX_BOARDS, SILENT_MS, Boards, MatchBoard, boards_view
from evilpegs.main import main
from evilpegs.reading import LiveScreen
from evilpegs_clients.connection.session import Reconnected, Reconnecting
from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted, MatchOver, MatchStarted
from support.patience import PATIENCE
from support.servers import dial

PROGRAM = Program(name="bot", version="1")


def started(number, at=0, pegs=4):
    return MatchStarted(
        match=f"{number:016x}",
        seq=1,
        at=at,
        player="ann",
        client=PROGRAM,
        ladder="classic",
        rules=f"{pegs}x6",
        pegs=pegs,
        colors=6,
        symbols="123456",
        repeats=True,
        guess_limit=10,
        codemaker="fixed",
        tie=None,
        clock=None,
        games=2,
        rated=True,
    )


def game_begins(number, game, seq):
    return GameStarted(match=f"{number:016x}", seq=seq, at=0, game=game, commitment="0" * 64, ready_by_ms=1)


def feedback(number, game, turn, seq, code="1122"):
    fields = {"game": game, "turn": turn, "code": code, "black": 1, "white": 0, "took_ms": 1, "left_ms": None}
    return FeedbackGiven(match=f"{number:016x}", seq=seq, at=0, **fields)


def game_ends(number, game, seq, outcome="solved", guesses=5):
    ends = {"outcome": outcome, "guesses": guesses, "elapsed_ms": 9, "secret": None, "nonce": None}
    return GameOver(match=f"{number:016x}", seq=seq, at=0, game=game, **ends)


def match_ends(number, seq):
    ends = {"outcomes": ("solved",), "guesses": (5,), "elapsed_ms": 9, "head": "0" * 64}
    return MatchOver(match=f"{number:016x}", seq=seq, at=0, **ends)


def numbers(boards, room=100):
    return [int(board.started.match, 16) for board in boards.shown(room)]


def printed(boards, width=80, height=24):
    out = Console(file=io.StringIO(), width=width, height=height, color_system=None)
    out.print(boards_view(out, boards, "waiting"))
    return out.file.getvalue()


def without_control(text):
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


def test_board_shows_turns_of_current_game():
    board = MatchBoard(started(1))
    events = [started(1), game_begins(1, 1, 2), feedback(1, 1, 1, 3), game_ends(1, 1, 4), game_begins(1, 2, 5)]
    for event in [*events, feedback(1, 2, 1, 6), feedback(1, 2, 2, 7)]:
        board.add(event)
    assert (board.game.game, [turn.turn for turn in board.game.turns]) == (2, [1, 2])
    assert (board.game.over, len(board.games_over)) == (None, 1)


def test_game_given_up_before_it_started_does_not_replace_shown_one():
    board = MatchBoard(started(1))
    events = [started(1), game_begins(1, 1, 2), feedback(1, 1, 1, 3), game_ends(1, 1, 4)]
    for event in [*events, game_ends(1, 2, 5, "resigned", 0)]:
        board.add(event)
    assert (board.game.game, len(board.game.turns), board.game.over) == (1, 1, events[-1])
    assert len(board.games_over) == 2


def test_board_ignores_repeated_events():
    board = MatchBoard(started(1))
    events = [started(1), game_begins(1, 1, 2), feedback(1, 1, 1, 3), game_ends(1, 1, 4)]
    for event in events + events:
        board.add(event)
    assert (len(board.game.turns), len(board.games_over)) == (1, 1)
    assert board.game.over == events[-1]


def test_match_without_seen_beginning_has_no_board():
    boards = Boards()
    boards.add(feedback(1, 1, 1, 3))
    assert (boards.shown(MAX_BOARDS), len(boards.under_way)) == ([], 1)


def test_boards_are_bounded_and_stay():
    boards = Boards()
    for number in range(MAX_BOARDS + 5):
        boards.add(started(number))
    assert numbers(boards) == list(range(MAX_BOARDS))
    assert len(boards.under_way) == MAX_BOARDS + 5


def test_new_match_takes_place_of_finished_one():
    boards = Boards()
    for number in range(MAX_BOARDS):
        boards.add(started(number))
    boards.add(match_ends(3, 2))
    boards.add(started(50))
    assert 3 not in numbers(boards)
    assert 50 in numbers(boards)


def test_new_match_takes_place_of_silent_one():
    boards = Boards()
    for number in range(MAX_BOARDS):
        boards.add(started(number, at=1 if number == 4 else SILENT_MS))
    boards.add(started(50, at=SILENT_MS + 1))
    assert 50 not in numbers(boards)
    boards.add(started(51, at=SILENT_MS + 2))
    assert 4 not in numbers(boards)
    assert 51 in numbers(boards)


def test_open_matches_precede_finished_ones():
    boards = Boards()
    for number in (1, 2, 3):
        boards.add(started(number))
    boards.add(match_ends(2, 2))
    assert numbers(boards, room=2) == [1, 3]
    assert numbers(boards, room=3) == [1, 2, 3]


@pytest.mark.parametrize(("width", "height"), [(80, 24), (36, 10), (200, 60), (20, 5)])
@pytest.mark.parametrize("pegs", [4, 12])
def test_view_fits_terminal(width, height, pegs):
    boards = Boards()
    for number in range(9):
        boards.add(started(number, pegs=pegs))
        boards.add(game_begins(number, 1, 2))
        for turn in range(1, 11):
            boards.add(feedback(number, 1, turn, 2 + turn, "1" * pegs))
    lines = printed(boards, width, height).splitlines()
    assert all(len(line) <= width for line in lines)
    assert len(lines) <= max(height, 14)


def test_view_counts_matches_without_room():
    boards = Boards()
    for number in range(20):
        boards.add(started(number))
    shown = printed(boards)
    assert shown.count("ann on classic") == 2
    assert "18" in shown.splitlines()[-1].split()


def test_view_shows_results():
    boards = Boards()
    for event in [started(1), game_ends(1, 1, 2), game_ends(1, 2, 3, "flagged", 3), match_ends(1, 4)]:
        boards.add(event)
    shown = printed(boards)
    assert "5 -" in shown
    assert "1 of 1" in shown


def test_view_without_matches_waits():
    assert printed(Boards()) == "waiting\n"


def test_view_is_clean_of_hostile_text():
    boards = Boards()
    boards.add(started(1))
    boards.add(feedback(1, 1, 1, 2, code="\x1b[2J\u202e"))
    shown = printed(boards)
    assert "[2J" in "".join(shown.split())
    assert all(symbol.isprintable() or symbol == "\n" for symbol in shown)


def test_screen_says_that_server_is_away_in_one_line(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")  # nothing is drawn again on a dumb terminal
    out = Console(file=io.StringIO(), width=60, force_terminal=True, color_system=None)
    screen = LiveScreen(out, lambda: "board")

    def last():
        return without_control(out.file.getvalue().split("board")[-1]).strip()

    with screen.live:
        screen.say(Reconnecting("cut\x1b[2J", 1, 0.1))
        assert last().startswith("cut?[2J; ")
        screen.say(Reconnecting("cut", 2, 0.1))
        screen.say(Reconnecting("cut", 3, 0.1))
        assert last().startswith("cut?[2J; ")
        assert last().endswith("3)")
        screen.say(Reconnected(3))
        assert last() == ""


# Beside a server


def test_watch_of_finished_match_prints_and_ends(run, server, evil_match):
    lines = run("watch", evil_match, "--server", server.url, "--json").out.splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["seq"] for event in events] == list(range(1, 31))
    assert events[-1]["type"] == "match_over"
    plain = run("watch", evil_match.upper(), "--server", server.url)
    assert (plain.status, len(plain.out.splitlines())) == (0, 26)


async def begin_match(player, ladder):
    await player.hello(False)
    return await player.play(ladder)


async def test_watch_follows_match_to_its_end(start, server):
    """The beginning is past when the watcher comes; the rest happens under its eyes."""
    async with dial(server.url) as player:
        match = await begin_match(player, "classic-practice")
        child = start("watch", match, "--server", server.url, "--json")
        first = json.loads(await asyncio.to_thread(child.next_line))
        await player.say(type="resign", match=match)
        result = await asyncio.to_thread(child.end)
    assert (first["type"], result.status) == ("match_started", 0)
    assert json.loads(result.out.splitlines()[-1])["type"] == "match_over"


async def test_watch_of_ladder_shows_matches_under_way(start, server):
    """The past of a match that began before is shown too."""
    async with dial(server.url) as player:
        match = await begin_match(player, "grand-practice")
        child = start("watch", "grand-practice", "--server", server.url, "--json")
        first = json.loads(await asyncio.to_thread(child.next_line))
        result = await asyncio.to_thread(child.end, signal.SIGINT)
    assert (first["match"], first["seq"]) == (match, 1)
    assert (result.status, result.err) == (130, "")


@pytest.fixture
def in_terminal(monkeypatch):
    """Run the command at a terminal of its own; return the exit status and what was printed, without control."""

    def in_terminal(*words):
        for name, value in {"TERM": "xterm", "COLUMNS": "80", "LINES": "24", "NO_COLOR": "1"}.items():
            monkeypatch.setenv(name, value)
        ours, theirs = pty.openpty()
        pieces = []

        def read():
            try:
                while data := os.read(ours, 65536):
                    pieces.append(data)
            except OSError:
                pass  # the terminal is gone

        reader = threading.Thread(target=read)
        reader.start()
        with monkeypatch.context() as patch, os.fdopen(theirs, "w") as terminal:
            for name in ("stdout", "stderr"):
                patch.setattr(sys, name, terminal)
            status = main(words)
        reader.join(PATIENCE)
        os.close(ours)
        return status, without_control(b"".join(pieces).decode())

    return in_terminal


def test_watch_in_terminal_shows_board(in_terminal, server, evil_match):
    status, shown = in_terminal("watch", evil_match, "--server", server.url)
    assert status == 0
    assert "4 of 4" in shown.split("minimax on classic-evil")[-1]


def test_watch_in_terminal_of_no_server_is_one_line(in_terminal):
    status, shown = in_terminal("watch", "--server", "ws://127.0.0.1:1/v1")
    assert status == 2
    assert shown.splitlines()[-1].startswith("evilpegs: ")
    assert "Traceback" not in shown
