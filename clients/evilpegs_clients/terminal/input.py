"""Questions to a person, whose answer may take longer than what was asked about.

Lines that a person types, awaited without a thread and without blocking the event loop.

What a person types: a word, a code, or yes or no.
"""

import asyncio
import os
import termios
from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.terminal.screen import MatchScreen
from evilpegs_game.codes import Code, parse_code
from evilpegs_game.errors import GameError
from evilpegs_game.rules import Rules

CHUNK: Final = 4096


class Lines:
    """The lines of a file descriptor: a terminal, a pipe or a file. Call it for the next one; None at the end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read = b""
        self._ended = False

    async def __call__(self) -> str | None:
        """The next line without its end; None once there are no more."""
        while b"\n" not in self._read and not self._ended:
            await self._readable()
            self._take()
        if not self._read:
            return None
        line, _, self._read = self._read.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

    def forget(self) -> bool:
        """Drop what was typed ahead at a terminal; False where it is none, and nothing was dropped."""
        if not os.isatty(self._descriptor):
            return False
        termios.tcflush(self._descriptor, termios.TCIFLUSH)
        self._read = b""
        return True

    def _take(self) -> None:
        chunk = b""
        with suppress(OSError):  # a terminal that was closed reads as an error
            chunk = os.read(self._descriptor, CHUNK)
        self._ended = not chunk
        self._read += chunk

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        try:
            loop.add_reader(self._descriptor, readable.set)
        except OSError:  # a plain file, which cannot be waited for and never makes one wait
            return
        try:
            await readable.wait()
        finally:
            loop.remove_reader(self._descriptor)


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


ReadLine = Callable[[], Awaitable[str | None]]
Forget = Callable[[], bool]
"""Drops what was typed ahead; False if it cannot."""


class LeaveError(Exception):
    """The person wants to go, or the input has ended."""


class Dialog:
    """Asks on ``screen`` and reads lines. A line that was not waited for in the end is read by the next question."""

    def __init__(self, screen: MatchScreen, read_line: ReadLine, forget: Forget = lambda: False) -> None:
        self.screen = screen
        self._forget = forget
        self._read_line = read_line
        self._reading: asyncio.Future[str | None] | None = None

    async def ask(self, prompt: str) -> str:
        """The line that answers; raises LeaveError at the end of the input."""
        self.screen.ask(prompt)
        await asyncio.wait([self._line()])
        return self._answer()

    async def ask_at(self, client: MatchClient, prompt: str) -> str | None:
        """The line that answers, or None if the match went on without it."""
        self.screen.ask(prompt)
        return self._answer() if await client.ends_in_time(self._line()) else None

    async def is_yes(self, question: str) -> bool:
        """Whether the person says yes, as an empty line does; raises LeaveError at the end of the input."""
        while (yes := read_yes(await self.ask(f"{question} [Y/n]"), default=True)) is None:
            self.screen.say("Type y or n.")
        return yes

    async def is_yes_at(self, client: MatchClient, question: str) -> bool:
        """Whether the person says yes before the match goes on without it; an empty line says no."""
        yes = None
        while yes is None:
            line = await self.ask_at(client, f"{question} [y/N]")
            yes = line is not None and read_yes(line, default=False)
            if yes is None:
                self.screen.say("Type y or n.")
        return yes

    def forget_typed_ahead(self) -> None:
        """What a person at a terminal typed for a moment that is over answers nothing."""
        if self._forget() and self._reading is not None and self._reading.done():
            self._reading = None

    def close(self) -> None:
        """Stop reading."""
        if self._reading is not None:
            self._reading.cancel()

    def _line(self) -> "asyncio.Future[str | None]":
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._read_line())
        return self._reading

    def _answer(self) -> str:
        answer, self._reading = self._line().result(), None
        if answer is None:
            raise LeaveError
        self.screen.answered(answer)
        return answer
