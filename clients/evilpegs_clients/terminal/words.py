"""Lines that a person types: a command or a code, or the answer to a yes-or-no question."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeVar

from evilpegs_game.errors import GameError

_Command = TypeVar("_Command")
_Parsed = TypeVar("_Parsed")

YES_NO: Final = MappingProxyType({"y": True, "yes": True, "n": False, "no": False})


def parse_yes(line: str, default: bool) -> bool | None:
    """Return True for y or yes, False for n or no, ``default`` for an empty line, and None for any other line."""
    answer = line.strip().lower()
    return YES_NO.get(answer) if answer else default


def find_word(line: str, commands: Mapping[str, _Command]) -> _Command | None:
    """Return the command that ``line`` names, or None if it names none of ``commands``.

    ``commands`` has the commands by their names. Extra spaces in the line do not matter, but upper and lower case do.
    """
    return commands.get(" ".join(line.split()))


def parse_words(line: str, commands: Mapping[str, _Command], parse: Callable[[str], _Parsed]) -> _Command | _Parsed:
    """Return the command that ``line`` names, else the value that ``parse`` returns for the line.

    ``commands`` has the commands by their names in lower case. ``parse`` gets the words of the line with one space
    between them, and raises GameError if the line is not valid. A line that could be both is the command if it is in
    lower case, and else the value of ``parse``.

    Raises:
        GameError: The line is neither a command nor valid for ``parse``. The message has one line and mentions the
            command help.
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
