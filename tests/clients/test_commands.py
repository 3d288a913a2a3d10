import pytest

from evilpegs_clients.commands import Word, read_command, read_yes
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
def test_words_and_codes(line, meant):
    assert read_command(line, CLASSIC) == meant


def test_a_word_that_is_a_code_too_is_a_code_in_upper_case():
    rules = Rules(4, 34)
    assert read_command("help", rules) is Word.HELP
    assert read_command("HELP", rules) == read_command("h elp", rules)


@pytest.mark.parametrize("line", ["112", "11223", "1127", "hlep", "#", "\x1b[A"])
def test_anything_else_is_told_in_one_line(line):
    with pytest.raises(GameError, match=r"Type help for the words\.$") as caught:
        read_command(line, CLASSIC)
    assert "\n" not in str(caught.value)


def test_a_repeated_color_is_explained():
    with pytest.raises(GameError, match="repeats a color"):
        read_command("1122", Rules(4, 10, repeats=False))


@pytest.mark.parametrize(
    ("line", "said"),
    [("", None), ("y", True), (" Yes", True), ("n", False), ("NO", False), ("nope", None), ("yikes", None)],
)
def test_yes_and_no(line, said):
    assert read_yes(line, default=True) is (said if line else True)
    assert read_yes(line, default=False) is (said if line else False)


def test_what_was_typed_is_kept_in_the_complaint():
    with pytest.raises(GameError, match=r"^'h' has 1 peg; 3x34 needs 3"):
        read_command("h", Rules(3, 34))
    with pytest.raises(GameError, match="there is no I and no O; the tenth color is 0"):
        read_command("11i2", CLASSIC)
