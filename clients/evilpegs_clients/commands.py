"""What a person types at a game: a word, or a code."""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from evilpegs_game.codes import Code, parse_code
from evilpegs_game.errors import GameError
from evilpegs_game.rules import Rules


class Word(StrEnum):
    """What can be done besides guessing."""

    SHOW = "show"
    HELP = "help"
    HINT = "hint"
    RESIGN = "resign"
    RESIGN_MATCH = "resign match"
    QUIT = "quit"


WORDS: Final = MappingProxyType(
    {"": Word.SHOW, "?": Word.HINT, "exit": Word.QUIT} | {word.value: word for word in Word}
)


def read_command(line: str, rules: Rules) -> Word | Code:
    """A word in lower case, else a code; spaces between its symbols do not matter.

    Raises:
        GameError: it is neither, with one line that helps.
    """
    text = " ".join(line.split())
    if text in WORDS:
        return WORDS[text]
    try:
        return parse_code(text.replace(" ", ""), rules)
    except GameError as error:
        message = f"{error}. Type help for the words."
        raise GameError(message) from None
