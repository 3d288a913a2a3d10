"""`evilpegs play`."""

import signal
import subprocess
import sys


def test_a_game_typed_in(start, server):
    child = start("play", "--server", server.url, "--ladder", "classic-evil-practice", stdin=subprocess.PIPE)
    result = child.end(typed=b"hint\n1122\nresign\n")
    assert result.status == 0
    assert "evil kept the largest part" in result.out
    assert "Resigned after 1 guess" in result.out
    assert result.err == ""


def test_leaving_says_how_to_come_back(start, server):
    child = start("play", "--server", server.url, "--name", "leaving", stdin=subprocess.PIPE)
    assert child.next_line() == f"You are leaving at {server.url}."
    assert child.next_line().startswith("classic-practice: 4 pegs against a fixed secret")
    result = child.end(signal.SIGINT)
    assert result.status == 130
    assert f"evilpegs play --name leaving --server {server.url}" in result.out
    assert result.err == ""


def test_rated_ladders_want_a_name(start, server):
    result = start("play", "--server", server.url, "--ladder", "classic").end()
    assert result.status == 2
    assert "--name" in result.complaint


def test_no_server(start):
    result = start("play", "--server", "ws://127.0.0.1:1/v1").end()
    assert result.status == 2
    assert "run `evilpegs serve`" in result.complaint
    assert result.out == ""


def test_nowhere_to_read_guesses_from(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    result = run("play")
    assert result.status == 2
    assert "nowhere to read guesses from" in result.complaint
