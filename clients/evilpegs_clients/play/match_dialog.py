"""The lines that a person types in a match; when a turn ends, the question that was asked in it is withdrawn."""

from enum import StrEnum
from typing import Final

from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.match_view import SETTLED_PHASES
from evilpegs_clients.play.match_screen import MatchScreen
from evilpegs_clients.terminal.prompt import Question
from evilpegs_clients.terminal.screen import Dialog, parse_words, parse_yes
from evilpegs_game.codes import Code, parse_code
from evilpegs_game.rules import Rules


class MatchDialog(Dialog):
    """A dialog that refuses what needs the server while ``is_away``, unless it comes from a file or a pipe."""

    screen: MatchScreen
    is_away = False

    async def ask_in_turn(self, client: MatchClient, question: Question) -> str | None:
        """Return the line that answers ``question``; None if the turn ends first. Raises LeaveError, ClientError."""
        self._prompt.ask(question)
        while await client.ends_in_time(self._next_line(), lambda: self._ask_again(client)):
            line = self._answer()
            is_refused = self.is_away and self._prompt.is_live and parse_named_command(line) not in LOCAL_COMMANDS
            if not is_refused:
                return line
            self.screen.say(f"Not sent, because the server is away: {line}")
            self._prompt.ask(question)
        self._prompt.drop()
        return None

    async def confirm_in_turn(self, client: MatchClient, question: str) -> bool:
        """Return True for yes, and False for no, an empty line, or a turn that ends first."""
        yes = None
        while yes is None:
            line = await self.ask_in_turn(client, lambda: f"{question} [y/N]")
            yes = line is not None and parse_yes(line, default=False)
            if yes is None:
                self.screen.say("Type y or n.")
        return yes

    def _ask_again(self, client: MatchClient) -> None:
        if client.view.phase in SETTLED_PHASES:
            self._prompt.ask_again()


class PlayCommand(StrEnum):
    SHOW = "show"
    HELP = "help"
    HINT = "hint"
    PARTS = "parts"
    RESIGN = "resign"
    RESIGN_MATCH = "resign match"
    QUIT = "quit"


COMMANDS: Final = {"": PlayCommand.SHOW, "?": PlayCommand.HINT, "exit": PlayCommand.QUIT, "q": PlayCommand.QUIT} | {
    command.value: command for command in PlayCommand
}
# without a connection to the server
LOCAL_COMMANDS: Final = frozenset({PlayCommand.SHOW, PlayCommand.HELP, PlayCommand.PARTS, PlayCommand.QUIT})


def parse_command(line: str, rules: Rules) -> PlayCommand | Code:
    """Return the command or the code, whose symbols may have spaces between them; raises GameError if it is neither."""
    return parse_words(line, COMMANDS, lambda text: parse_code(text.replace(" ", ""), rules))


def parse_named_command(line: str) -> PlayCommand | None:
    return COMMANDS.get(" ".join(line.lower().split()))
