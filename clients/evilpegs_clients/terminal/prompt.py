"""The prompt below the printed lines: an open question whose answer is typed, or a status that changes."""

import asyncio
import os
import select
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType

CHUNK: Final = 4096

Question = Callable[[], str]
"""The current text of a question, which may contain the time left."""
ReadLine = Callable[[], Awaitable[str | None]]
"""The next line, or None at the end of the input."""


async def end_of_input() -> str | None:
    return None


class Prompt:
    """A prompt that prints a question once and leaves its line open for the answer, until anything else is printed."""

    is_live = False
    """True if a person edits the lines at a terminal."""

    def __init__(self, console: Console, read_line: ReadLine = end_of_input) -> None:
        self.console = console
        self._read_line = read_line
        self._question: Question | None = None
        self._has_open_line = False
        self._status = ""

    def ask(self, question: Question) -> None:
        """Print ``question`` and leave its line open for the answer."""
        self.end_line()
        self._print(question(), end=" ")
        self._has_open_line, self._question = True, question

    def ask_again(self) -> None:
        """Print the open question again if other lines were printed after it."""
        if self._question is not None and not self._has_open_line:
            self.ask(self._question)

    def drop(self) -> None:
        """Stop asking the open question; nothing is printed."""
        self._question = None

    def status(self, text: str) -> None:
        """Show ``text`` until the next status replaces it; a file gets only the first of several in a row."""
        if not self._status:
            self.end_line()
        elif not self.console.is_terminal:
            return
        else:
            self.console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
        self._print(text, end="")
        self._has_open_line, self._status = True, text

    @contextmanager
    def above(self) -> Iterator[Console]:
        """End the open line, so that the block can print lines."""
        self.end_line()
        yield self.console

    def end_line(self) -> None:
        """End the open line of a question or status."""
        if self._has_open_line:
            self.console.print()
        self._has_open_line, self._status = False, ""

    async def read(self) -> str | None:
        return await self._read_line()

    def accept(self, line: str) -> None:
        """Close the open question; print the answer unless a terminal has echoed it."""
        if not self.console.is_terminal:
            self._print(line)
        self._has_open_line, self._question = False, None

    def discard(self) -> bool:
        """Discard what a person typed ahead; return False where that is not possible."""
        return False

    def close(self) -> None:
        """End the open line; call this last."""
        self.end_line()

    def _print(self, text: str, end: str = "\n") -> None:
        self.console.print(text, end=end, markup=False, highlight=False)


class LineReader:
    """A reader of a terminal, a pipe or a file; await a call for the next line.

    It needs no thread and does not block the event loop.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = b""
        self._ended = False

    async def __call__(self) -> str | None:
        """Return the next line without its end, or None at the end of the input."""
        while b"\n" not in self._buffer and not self._ended:
            await self._wait_until_readable()
            self._read_chunk()
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

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
