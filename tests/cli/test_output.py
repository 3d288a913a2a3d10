"""Printing documents and text, and colors."""

import io
import sys

import pytest

from evilpegs.output import PLAIN_WIDTH, console, print_json
from evilpegs_clients.terminal.pegs import peg_text


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    return Terminal()


def test_print_json_prints_one_line(capsys):
    print_json({"name": "ä", "value": [1, None]})
    assert capsys.readouterr().out == '{"name": "ä", "value": [1, null]}\n'


def test_console_on_terminal_has_colors(terminal):
    console(terminal).print(peg_text("12"))
    assert "\x1b[" in terminal.getvalue()


def test_console_respects_no_color(terminal, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    console(terminal).print(peg_text("12"))
    assert "48;" not in terminal.getvalue()
    assert "1" in terminal.getvalue()


def test_console_on_pipe_is_plain(capsys):
    console().print(peg_text("12"))
    assert capsys.readouterr().out == " 1  2 \n"
    assert console(sys.stdout).width == PLAIN_WIDTH
