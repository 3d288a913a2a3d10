"""A dialog with a person: printed lines above, a question below them, and typed lines as answers."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

from rich.console import Console
from rich.text import Text

from evilpegs_clients.terminal.prompt import LineReader, Prompt
from evilpegs_game.errors import GameError


class Screen:
    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self.console = prompt.console

    def say(self, text: str | Text, style: str = "") -> None:
        with self.prompt.above() as console:
            console.print(text, style=style, markup=False, highlight=False)


def open_prompt(console: Console, words: Iterable[str] = ()) -> Prompt:
    """Return a prompt for standard input: at a terminal, an editor in which Tab completes ``words``."""
    if sys.stdin is None:  # Python's sign that it was closed before the start
        return Prompt(console)
    if not sys.stdin.isatty() or not console.is_terminal or console.is_dumb_terminal:
        return Prompt(console, LineReader(sys.stdin.fileno()))
    # Only terminals need the editor, which takes 0.04 s to import.
    from prompt_toolkit.input import create_input  # noqa: PLC0415
    from prompt_toolkit.output.vt100 import Vt100_Output  # noqa: PLC0415

    from evilpegs_clients.terminal.prompt import EditedPrompt  # noqa: PLC0415

    display = Vt100_Output.from_pty(sys.stdout, term=os.environ.get("TERM"))
    display.enable_cpr = False  # some terminals do not answer where the cursor is
    return EditedPrompt(console, create_input(sys.stdin), display, words)


class LeaveError(Exception):
    """The person wants to leave, or the input has ended."""


class Dialog:
    """Questions and typed lines; one that is typed when its question has ended answers the next question."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self._prompt = screen.prompt
        self._reading: asyncio.Future[str | None] | None = None

    async def ask(self, prompt: str) -> str:
        """Return the line that is typed; raises LeaveError at the end of the input."""
        self._prompt.ask(lambda: prompt)
        await asyncio.wait([self._next_line()])
        return self._answer()

    async def confirm(self, question: str, default: bool = True) -> bool:
        """Ask until the answer is yes, no, or empty for ``default``; raises LeaveError at the end of the input."""
        choice = "[Y/n]" if default else "[y/N]"
        while (yes := parse_yes(await self.ask(f"{question} {choice}"), default)) is None:
            self.screen.say("Type y or n.")
        return yes

    def discard_typed_ahead(self) -> None:
        """Discard what a person typed before it was asked for; keep the lines of a pipe or a file."""
        if self._prompt.discard() and self._reading is not None and self._reading.done():
            self._reading = None

    def close(self) -> None:
        self._prompt.close()
        if self._reading is not None:
            self._reading.cancel()

    def _next_line(self) -> "asyncio.Future[str | None]":
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._prompt.read())
        return self._reading

    def _answer(self) -> str:
        answer, self._reading = self._next_line().result(), None
        if answer is None:
            raise LeaveError
        self._prompt.accept(answer)
        return answer


_Command = TypeVar("_Command")
_Parsed = TypeVar("_Parsed")

YES_NO: Final = {"y": True, "yes": True, "n": False, "no": False}


def parse_yes(line: str, default: bool) -> bool | None:
    """Return ``default`` for an empty line, and None for one that is neither yes nor no."""
    answer = line.strip().lower()
    return YES_NO.get(answer) if answer else default


def parse_words(line: str, commands: Mapping[str, _Command], parse: Callable[[str], _Parsed]) -> _Command | _Parsed:
    """Return the command that ``line`` names, also in capitals if it is nothing else, or what ``parse`` makes of it."""
    text = " ".join(line.split())
    if text in commands:
        return commands[text]
    try:
        return parse(text)
    except GameError as error:
        if (command := commands.get(text.lower())) is not None:
            return command
        raise GameError(f"{error}. Type help for what can be typed.") from None
