"""A dialog in a match: when a turn ends, the question that was asked in it is withdrawn.

While the connection to the server is lost, typed lines that need the server are refused.
"""

from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.match_view import SETTLED_PHASES
from evilpegs_clients.play.commands import LOCAL_COMMANDS, parse_named_command
from evilpegs_clients.play.match_screen import MatchScreen
from evilpegs_clients.terminal.dialog import Dialog
from evilpegs_clients.terminal.prompt import Question
from evilpegs_clients.terminal.words import parse_yes


class MatchDialog(Dialog):
    """A dialog in a match; the owner sets ``is_away`` to True while the connection to the server is lost.

    While ``is_away`` is True, lines that a person types are refused if they need the server. Lines from a file or a
    pipe are accepted.
    """

    screen: MatchScreen
    is_away = False

    async def ask_in_turn(self, client: MatchClient, question: Question) -> str | None:
        """Ask ``question`` and return the line that answers it, or None if the current turn ends first.

        If a person types a line that needs the server while the connection to the server is lost, the line is refused,
        and the question is asked again.

        Raises:
            LeaveError: The input has ended.
            ClientError: The connection was cut and cannot be restored.
        """
        self._prompt.ask(question)
        while await client.ends_in_time(self._next_line(), lambda: self._ask_again(client)):
            line = self._answer()
            if not self._refuses(line):
                return line
            self.screen.say(f"Not sent, because the server is away: {line}")
            self._prompt.ask(question)
        self._prompt.drop()
        return None

    async def confirm_in_turn(self, client: MatchClient, question: str) -> bool:
        """Ask ``question`` and return True for yes, and False for no, an empty line, or a turn that ends first."""
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

    def _refuses(self, line: str) -> bool:
        return self.is_away and self._prompt.is_live and parse_named_command(line) not in LOCAL_COMMANDS
