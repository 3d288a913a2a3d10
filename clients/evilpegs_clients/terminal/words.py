"""Lines that a person types: a command or a code, or the answer to a yes-or-no question."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeVar

from evilpegs_game.errors import GameError

_Command = TypeVar("_Command")
_Parsed = TypeVar("_Parsed")

YES_NO: Final = MappingProxyType({"y": True, "yes": True, "n": False, "no": False})


def parse_yes(line: str, default: bool) -> bool | None:
    """Return ``default`` for an empty line, and None for one that is neither yes nor no."""
    answer = line.strip().lower()
    return YES_NO.get(answer) if answer else default


def find_word(line: str, commands: Mapping[str, _Command]) -> _Command | None:
    """Return the command that ``line`` names; extra spaces do not matter, but upper and lower case do."""
    return commands.get(" ".join(line.split()))


def parse_words(line: str, commands: Mapping[str, _Command], parse: Callable[[str], _Parsed]) -> _Command | _Parsed:
    """Return the command that ``line`` names, else the value of ``parse``, which gets single spaces.

    A line that could be both is the command if it is in lower case. Raises GameError if it is neither; the message
    mentions the command help.
    """
    text = " ".join(line.split())
    if text in commands:
        return commands[text]
    try:
        return parse(text)
    except GameError as error:
        if (command := find_word(text.lower(), commands)) is not None:
            return command
        raise GameError(f"{error}. Type help for what can be typed.") from None
