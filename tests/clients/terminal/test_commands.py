import re

import pytest

from evilpegs_clients.terminal.input import Word, read_command, read_yes
from evilpegs_game.errors import GameError
from evilpegs_game.rules import Rules

CLASSIC = Rules(4, 6)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("1122", (0, 0, 1, 1)),
        (" 1 1\t2 2 ", (0, 0, 1, 1)),
        ("", Word.SHOW),
        ("   ", Word.SHOW),
        ("?", Word.HINT),
        ("hint", Word.HINT),
        ("help", Word.HELP),
        ("resign", Word.RESIGN),
        (" resign  match ", Word.RESIGN_MATCH),
        ("quit", Word.QUIT),
        ("exit", Word.QUIT),
        ("q", Word.QUIT),
        ("Help", Word.HELP),
        ("RESIGN Match", Word.RESIGN_MATCH),
        ("parts", Word.PARTS),
    ],
)
def test_read_command_reads_words_and_codes(line, meant):
    assert read_command(line, CLASSIC) == meant


def test_read_command_prefers_code_in_upper_case():
    rules = Rules(4, 34)
    assert read_command("help", rules) is Word.HELP
    assert read_command("HELP", rules) == read_command("h elp", rules)


@pytest.mark.parametrize("line", ["112", "11223", "1127", "hlep", "#", "\x1b[A"])
def test_read_command_refusal_names_help(line):
    with pytest.raises(GameError, match=r"\bhelp\b") as caught:
        read_command(line, CLASSIC)
    assert "\n" not in str(caught.value)


def test_read_command_names_repeated_color():
    with pytest.raises(GameError, match=r"'1122'.*4x10-distinct"):
        read_command("1122", Rules(4, 10, repeats=False))


@pytest.mark.parametrize(
    ("line", "answer"),
    [("", None), ("y", True), (" Yes", True), ("n", False), ("NO", False), ("nope", None), ("yikes", None)],
)
def test_read_yes_reads_answers(line, answer):
    assert read_yes(line, default=True) is (answer if line else True)
    assert read_yes(line, default=False) is (answer if line else False)


def test_read_command_quotes_typed_text():
    with pytest.raises(GameError, match=r"^'h'.*3x34"):
        read_command("h", Rules(3, 34))
    with pytest.raises(GameError, match="'11i2'") as caught:
        read_command("11i2", CLASSIC)
    assert {"I", "O", "0"} <= set(re.findall(r"\w+", str(caught.value)))
