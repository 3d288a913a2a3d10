"""The choice of a prompt for standard input, and lines above an open question."""

import sys

import pytest
from rich.console import Console

from evilpegs_clients.terminal.prompt import Prompt
from evilpegs_clients.terminal.screen import Dialog, LeaveError, Screen, open_prompt


@pytest.fixture
def stdin(monkeypatch, tmp_path):
    """Give this process a standard input of these bytes."""

    def stdin(typed):
        (tmp_path / "typed").write_bytes(typed)
        monkeypatch.setattr(sys, "stdin", (tmp_path / "typed").open())

    yield stdin
    sys.stdin.close()


async def test_file_is_read_without_editor(stdin, output):
    stdin(b"1122 \xff\n")
    prompt = open_prompt(Console(file=output))
    assert not prompt.is_live
    assert [await prompt.read(), await prompt.read()] == ["1122 \ufffd", None]


async def test_closed_standard_input_has_no_lines(monkeypatch, output):
    monkeypatch.setattr(sys, "stdin", None)
    assert await open_prompt(Console(file=output)).read() is None


@pytest.mark.parametrize(
    ("is_terminal", "term", "is_edited"), [(True, "xterm", True), (False, "xterm", False), (True, "dumb", False)]
)
def test_line_is_edited_at_terminals_only(monkeypatch, keyboard, is_terminal, term, is_edited):
    with open(keyboard.program, closefd=False) as keys, open(keyboard.program, "w", closefd=False) as display:
        monkeypatch.setattr(sys, "stdin", keys)
        monkeypatch.setattr(sys, "stdout", display)
        monkeypatch.setenv("TERM", term)
        assert open_prompt(Console(file=display, force_terminal=is_terminal)).is_live is is_edited


async def test_said_line_ends_open_question(output):
    screen = Screen(Prompt(Console(file=output)))
    screen.prompt.ask(lambda: "1 >")
    screen.say("[news]")
    screen.prompt.ask_again()
    screen.prompt.ask_again()
    screen.prompt.accept("1122")
    screen.prompt.ask_again()
    assert output.getvalue() == "1 > \n[news]\n1 > 1122\n"


async def test_dialog_asks_until_it_understands(output):
    lines = iter(["perhaps", "Y", "", None])

    async def read():
        return next(lines)

    dialog = Dialog(Screen(Prompt(Console(file=output), read)))
    assert await dialog.confirm("Go on?", default=False)
    assert not await dialog.confirm("Go on?", default=False)
    with pytest.raises(LeaveError):
        await dialog.ask("1 >")
    assert output.getvalue().count("Go on? [y/N]") == 3
