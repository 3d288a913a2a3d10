"""Words that a person types."""

import pytest

from evilpegs_clients.terminal.screen import parse_words, parse_yes
from evilpegs_game.errors import GameError, MalformedError

COMMANDS = {"": "show", "new game": "new", "ab": "alphabet"}


def parse(text):
    """Return the text as it is if it has two letters in upper case."""
    if len(text) != 2 or not text.isupper():
        message = f"not a code: {text!r}"
        raise MalformedError(message)
    return text


@pytest.mark.parametrize(
    ("line", "parsed"),
    [("  ", "show"), (" new  game ", "new"), ("New Game", "new"), ("ab", "alphabet"), ("AB", "AB"), ("Ab", "alphabet")],
)
def test_words_are_commands_unless_they_are_codes_in_upper_case(line, parsed):
    assert parse_words(line, COMMANDS, parse) == parsed


def test_words_that_are_neither_are_refused_with_help():
    with pytest.raises(GameError, match=r"'abc def'.*\bhelp\b") as caught:
        parse_words("abc  def", COMMANDS, parse)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "answer"),
    [("", None), ("y", True), (" Yes", True), ("n", False), ("NO", False), ("nope", None), ("yikes", None)],
)
def test_read_yes_reads_answers(line, answer):
    assert parse_yes(line, default=True) is (answer if line else True)
    assert parse_yes(line, default=False) is (answer if line else False)
