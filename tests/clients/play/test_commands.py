"""Commands and codes that a person types in a match."""

import re

import pytest

from evilpegs_clients.play.match_dialog import PlayCommand, parse_command
from evilpegs_game.errors import GameError
from evilpegs_game.rules import Rules

CLASSIC = Rules(4, 6)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("1122", (0, 0, 1, 1)),
        (" 1 1\t2 2 ", (0, 0, 1, 1)),
        ("", PlayCommand.SHOW),
        ("   ", PlayCommand.SHOW),
        ("?", PlayCommand.HINT),
        ("hint", PlayCommand.HINT),
        ("help", PlayCommand.HELP),
        ("resign", PlayCommand.RESIGN),
        (" resign  match ", PlayCommand.RESIGN_MATCH),
        ("quit", PlayCommand.QUIT),
        ("exit", PlayCommand.QUIT),
        ("q", PlayCommand.QUIT),
        ("Help", PlayCommand.HELP),
        ("RESIGN Match", PlayCommand.RESIGN_MATCH),
        ("parts", PlayCommand.PARTS),
    ],
)
def test_read_command_reads_words_and_codes(line, meant):
    assert parse_command(line, CLASSIC) == meant


def test_read_command_prefers_code_in_upper_case():
    rules = Rules(4, 34)
    assert parse_command("help", rules) is PlayCommand.HELP
    assert parse_command("HELP", rules) == parse_command("h elp", rules)


@pytest.mark.parametrize("line", ["112", "11223", "1127", "hlep", "#", "\x1b[A"])
def test_read_command_refusal_names_help(line):
    with pytest.raises(GameError, match=r"\bhelp\b") as caught:
        parse_command(line, CLASSIC)
    assert "\n" not in str(caught.value)


def test_read_command_names_repeated_color():
    with pytest.raises(GameError, match=r"'1122'.*4x10-distinct"):
        parse_command("1122", Rules(4, 10, repeats=False))


def test_read_command_quotes_typed_text():
    with pytest.raises(GameError, match=r"^'h'.*3x34"):
        parse_command("h", Rules(3, 34))
    with pytest.raises(GameError, match="'11i2'") as caught:
        parse_command("11i2", Rules(4, 10))
    assert {"I", "O", "0"} <= set(re.findall(r"\w+", str(caught.value)))
