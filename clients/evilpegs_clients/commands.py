"""What a person types: a word, a code, or yes or no."""

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
    PARTS = "parts"
    RESIGN = "resign"
    RESIGN_MATCH = "resign match"
    QUIT = "quit"


WORDS: Final = MappingProxyType(
    {"": Word.SHOW, "?": Word.HINT, "exit": Word.QUIT, "q": Word.QUIT} | {word.value: word for word in Word}
)


ANSWERS: Final = MappingProxyType({"y": True, "yes": True, "n": False, "no": False})


def read_yes(line: str, default: bool) -> bool | None:
    """Yes or no, ``default`` for an empty line, None for anything else."""
    answer = line.strip().lower()
    return ANSWERS.get(answer) if answer else default


def read_word(line: str) -> Word | None:
    """A word, whatever its case."""
    return WORDS.get(" ".join(line.lower().split()))


def read_command(line: str, rules: Rules) -> Word | Code:
    """A word, else a code; spaces between its symbols do not matter.

    What is both is a word in lower case and a code otherwise.

    Raises:
        GameError: it is neither, with one line that helps.
    """
    text = " ".join(line.split())
    if text in WORDS:
        return WORDS[text]
    try:
        return parse_code(text.replace(" ", ""), rules)
    except GameError as error:
        if word := read_word(text):
            return word
        message = f"{error}. Type help for the words."
        raise GameError(message) from None
