from rich.console import Console

from evilpegs_clients.pegs import marks, peg_color, peg_text
from evilpegs_game.codes import SYMBOLS


def test_every_peg_shows_its_symbol():
    assert peg_text("10Z").plain == " 1  0  Z "


def test_every_color_has_a_shade_of_its_own():
    assert len({peg_color(place) for place in range(len(SYMBOLS))}) == len(SYMBOLS)


def test_marks_fill_a_row():
    assert marks(2, 1, 4).plain == "●●○·"
    assert marks(0, 0, 4).plain == "····"
    assert marks(1, 2, 4, ascii_only=True).plain == "Xoo."


def test_colors_are_left_out_where_nobody_wants_them(monkeypatch, capsys):
    monkeypatch.setenv("NO_COLOR", "1")
    Console(force_terminal=True, color_system="truecolor").print(peg_text("12"))
    told = capsys.readouterr().out
    assert "48;2" not in told
    assert " 1 " in told
