"""A dialog in a match, whose questions end with the turn, and whose lines are not sent while the server is away."""

from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.match_view import SETTLED_PHASES
from evilpegs_clients.play.commands import LOCAL_COMMANDS, parse_named_command
from evilpegs_clients.play.match_screen import MatchScreen
from evilpegs_clients.terminal.dialog import Dialog
from evilpegs_clients.terminal.prompt import Question
from evilpegs_clients.terminal.words import parse_yes


class MatchDialog(Dialog):
    """A dialog in a match, for which ``is_away`` must be set to True while the connection to the server is lost.

    While it is True, lines that a person types are refused if they need the server. Lines from a file or a pipe are
    accepted.
    """

    screen: MatchScreen
    is_away = False

    async def ask_in_turn(self, client: MatchClient, question: Question) -> str | None:
        """Ask ``question`` and return the answer, or None if the match left this turn before the answer.

        A line that needs the server, typed by a person while the server is away, is refused, and the question is asked
        again.
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
        """Ask a question and return True if the person says yes in this turn; an empty line means no."""
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
