"""The lines that a person types in a game: commands, or codes as guesses."""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from evilpegs_clients.terminal.words import find_word, parse_words
from evilpegs_game.codes import Code, parse_code
from evilpegs_game.rules import Rules


class PlayCommand(StrEnum):
    SHOW = "show"
    HELP = "help"
    HINT = "hint"
    PARTS = "parts"
    RESIGN = "resign"
    RESIGN_MATCH = "resign match"
    QUIT = "quit"


COMMANDS: Final = MappingProxyType(
    {"": PlayCommand.SHOW, "?": PlayCommand.HINT, "exit": PlayCommand.QUIT, "q": PlayCommand.QUIT}
    | {command.value: command for command in PlayCommand}
)
LOCAL_COMMANDS: Final = frozenset({PlayCommand.SHOW, PlayCommand.HELP, PlayCommand.PARTS, PlayCommand.QUIT})
"""Those that work without a connection to the server."""


def parse_command(line: str, rules: Rules) -> PlayCommand | Code:
    """Return the command or the code, whose symbols may have spaces between them; raises GameError if it is neither."""
    return parse_words(line, COMMANDS, lambda text: parse_code(text.replace(" ", ""), rules))


def parse_named_command(line: str) -> PlayCommand | None:
    """Return the command that ``line`` names, in upper or lower case."""
    return find_word(line.lower(), COMMANDS)
