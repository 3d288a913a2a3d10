"""Words that a person types: commands beside codes, and answers to questions."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeVar

from evilpegs_game.errors import GameError

_Command = TypeVar("_Command")
_Parsed = TypeVar("_Parsed")

YES_NO: Final = MappingProxyType({"y": True, "yes": True, "n": False, "no": False})


def parse_yes(line: str, default: bool) -> bool | None:
    """Return True for yes, False for no, ``default`` for an empty line and None for anything else."""
    answer = line.strip().lower()
    return YES_NO.get(answer) if answer else default


def find_word(line: str, commands: Mapping[str, _Command]) -> _Command | None:
    """Return the command that has the words of ``line``, or None."""
    return commands.get(" ".join(line.split()))


def parse_words(line: str, commands: Mapping[str, _Command], parse: Callable[[str], _Parsed]) -> _Command | _Parsed:
    """Return the command that a line names, else the value that ``parse`` reads in it.

    ``parse`` receives the words of the line with one space between them. Text that is both a command and a code means
    the command in lower case and the code otherwise.

    Raises:
        GameError: The line is neither; the message has one line and names the command help.
    """
    text = " ".join(line.split())
    if text in commands:
        return commands[text]
    try:
        return parse(text)
    except GameError as error:
        if (command := find_word(text.lower(), commands)) is not None:
            return command
        message = f"{error}. Type help for what can be typed."
        raise GameError(message) from None
