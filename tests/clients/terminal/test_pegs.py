"""Pegs and marks as the terminal shows them."""

from rich.console import Console

from evilpegs_clients.terminal.pegs import feedback_marks, peg_color, peg_text
from evilpegs_game.codes import SYMBOLS


def test_peg_text_shows_every_symbol():
    assert peg_text("10Z").plain == " 1  0  Z "


def test_peg_colors_differ():
    assert len({peg_color(index) for index in range(len(SYMBOLS))}) == len(SYMBOLS)


def test_marks_fill_row():
    assert feedback_marks(2, 1, 4).plain == "●●○·"
    assert feedback_marks(0, 0, 4).plain == "····"
    assert feedback_marks(1, 2, 4, ascii_only=True).plain == "Xoo."


def test_peg_text_respects_no_color(monkeypatch, capsys):
    monkeypatch.setenv("NO_COLOR", "1")
    Console(force_terminal=True, color_system="truecolor").print(peg_text("12"))
    printed = capsys.readouterr().out
    assert "48;2" not in printed
    assert " 1 " in printed
