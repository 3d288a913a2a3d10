"""Input of a person: lines from a terminal, the commands and codes in them, and a dialog of questions.

Lines are awaited without a thread and without blocking the event loop. An answer may arrive after the match has moved
on; then the next question reads it.
"""

import asyncio
import os
import select
import termios
from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.connection.match_view import SETTLED_PHASES
from evilpegs_clients.printable import printable
from evilpegs_clients.terminal.screen import MatchScreen, Question
from evilpegs_game.codes import Code, parse_code
from evilpegs_game.errors import GameError
from evilpegs_game.rules import Rules

CHUNK: Final = 4096


class LineReader:
    """A reader of lines from a file descriptor: a terminal, a pipe or a file. Await a call to get the next line."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = b""
        self._ended = False

    async def __call__(self) -> str | None:
        """Return the next line without its line end; None at the end of the input."""
        while b"\n" not in self._buffer and not self._ended:
            await self._wait_until_readable()
            self._read_chunk()
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

    def discard(self) -> bool:
        """Discard the lines typed ahead at a terminal; return False and discard nothing if it is no terminal."""
        if not os.isatty(self._descriptor):
            return False
        termios.tcflush(self._descriptor, termios.TCIFLUSH)
        self._buffer = b""
        return True

    def take_unfinished(self) -> str:
        """Remove and return what was typed at a terminal and not read yet, such as half a line.

        A terminal gives half a line away only while it does not collect lines.
        """
        collecting = termios.tcgetattr(self._descriptor)
        pieces = termios.tcgetattr(self._descriptor)
        pieces[3] &= ~termios.ICANON
        pieces[6][termios.VMIN] = pieces[6][termios.VTIME] = 0
        termios.tcsetattr(self._descriptor, termios.TCSANOW, pieces)
        try:
            typed = os.read(self._descriptor, CHUNK)
        finally:
            termios.tcsetattr(self._descriptor, termios.TCSANOW, collecting)
        typed, self._buffer = self._buffer + typed, b""
        return typed.decode(errors="replace")

    def is_terminal(self) -> bool:
        """Return True if a person types at a terminal."""
        return os.isatty(self._descriptor)

    def _read_chunk(self) -> None:
        if not select.select([self._descriptor], [], [], 0)[0]:
            return  # what was there has been taken
        chunk = b""
        with suppress(OSError):  # reading a closed terminal is an error
            chunk = os.read(self._descriptor, CHUNK)
        self._ended = not chunk
        self._buffer += chunk

    async def _wait_until_readable(self) -> None:
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        try:
            loop.add_reader(self._descriptor, readable.set)
        except OSError:  # a plain file cannot be waited for; it is always readable
            return
        try:
            await readable.wait()
        finally:
            loop.remove_reader(self._descriptor)


class PlayCommand(StrEnum):
    """A command that a person can type instead of a guess."""

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


YES_NO: Final = MappingProxyType({"y": True, "yes": True, "n": False, "no": False})


def parse_yes(line: str, default: bool) -> bool | None:
    """Return True for yes, False for no, ``default`` for an empty line and None for anything else."""
    answer = line.strip().lower()
    return YES_NO.get(answer) if answer else default


def parse_named_command(line: str) -> PlayCommand | None:
    """Return the command that the line names in any case, or None."""
    return COMMANDS.get(" ".join(line.lower().split()))


def parse_command(line: str, rules: Rules) -> PlayCommand | Code:
    """Return the command or the code in a line; spaces between the symbols of a code are ignored.

    Text that is both means the command in lower case and the code otherwise.

    Raises:
        GameError: The line is neither; the message has one line.
    """
    text = " ".join(line.split())
    if text in COMMANDS:
        return COMMANDS[text]
    try:
        return parse_code(text.replace(" ", ""), rules)
    except GameError as error:
        if command := parse_named_command(text):
            return command
        message = f"{error}. Type help for the words."
        raise GameError(message) from None


ReadLine = Callable[[], Awaitable[str | None]]
Discard = Callable[[], bool]
"""A function that discards the lines typed ahead; it returns False if it cannot."""
TakeUnfinished = Callable[[], str]
"""A function that removes and returns what was typed at a terminal and not read yet, such as half a line."""
LOCAL_COMMANDS: Final = frozenset({PlayCommand.SHOW, PlayCommand.HELP, PlayCommand.PARTS, PlayCommand.QUIT})
"""The commands that need no server."""


class LeaveError(Exception):
    """The person wants to leave, or the input has ended."""


class Dialog:
    """A dialog on ``screen``; a line that arrives too late for its question answers the next one.

    With ``take_unfinished`` a person types at a terminal, and what they type while the server is away is not sent.
    Without it the lines come from a file or a pipe, and wait.
    """

    def __init__(
        self,
        screen: MatchScreen,
        read_line: ReadLine,
        discard: Discard = lambda: False,
        take_unfinished: TakeUnfinished | None = None,
    ) -> None:
        self.screen = screen
        self.is_away = False
        self._discard = discard
        self._read_line = read_line
        self._is_live = take_unfinished is not None
        self._take_unfinished = take_unfinished or str
        self._reading: asyncio.Future[str | None] | None = None

    async def ask(self, prompt: str) -> str:
        """Ask and return the answer; raise LeaveError at the end of the input."""
        self.screen.ask(lambda: prompt)
        await asyncio.wait([self._next_line()])
        return self._answer()

    async def ask_in_turn(self, client: MatchClient, question: Question) -> str | None:
        """Ask and return the answer, or None if the match has left this turn meanwhile.

        A line that is typed at a terminal while the server is away is not sent, and said not to be.
        """
        self.screen.ask(question)
        while await client.ends_in_time(self._next_line(), lambda: self._ask_again(client)):
            line = self._answer()
            if not self._refuses(line):
                return line
            self.screen.say(f"Not sent, because the server is away: {line}")
            self.screen.reopen(question)
        self.screen.drop_prompt()
        return None

    def _ask_again(self, client: MatchClient) -> None:
        if client.view.phase in SETTLED_PHASES:
            self.screen.ask_again()

    def _refuses(self, line: str) -> bool:
        return self.is_away and self._is_live and parse_named_command(line) not in LOCAL_COMMANDS

    def server_is_away(self) -> None:
        """Note that nothing can be sent."""
        self.is_away = True

    def server_is_back(self) -> None:
        """Note that lines can be sent again; drop a line that was only half typed, and say so."""
        self.is_away = False
        if unfinished := self._take_unfinished():
            self.screen.say(f"Not sent: {printable(' '.join(unfinished.split()))}")

    async def confirm(self, question: str, default: bool = True) -> bool:
        """Ask a question and return True for yes; an empty line means ``default``.

        Raises:
            LeaveError: the input has ended.
        """
        choice = "[Y/n]" if default else "[y/N]"
        while (yes := parse_yes(await self.ask(f"{question} {choice}"), default)) is None:
            self.screen.say("Type y or n.")
        return yes

    async def confirm_in_turn(self, client: MatchClient, question: str) -> bool:
        """Ask a question and return True if the person says yes in this turn; an empty line means no."""
        yes = None
        while yes is None:
            line = await self.ask_in_turn(client, lambda: f"{question} [y/N]")
            yes = line is not None and parse_yes(line, default=False)
            if yes is None:
                self.screen.say("Type y or n.")
        return yes

    def discard_typed_ahead(self) -> None:
        """Discard lines that were typed for a turn that is over."""
        if self._discard() and self._reading is not None and self._reading.done():
            self._reading = None

    def close(self) -> None:
        """Stop reading."""
        if self._reading is not None:
            self._reading.cancel()

    def _next_line(self) -> "asyncio.Future[str | None]":
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._read_line())
        return self._reading

    def _answer(self) -> str:
        answer, self._reading = self._next_line().result(), None
        if answer is None:
            raise LeaveError
        self.screen.end_prompt(answer)
        return answer
