"""The prompt below the printed lines: an open question whose answer is typed, or a status that changes.

A prompt for a pipe, a file or a terminal without an editor prints the question once and leaves that line open for the
answer. The line is ended before anything else is printed.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType

Question = Callable[[], str]
"""A function that returns the current text of a question, which may contain the time left."""
ReadLine = Callable[[], Awaitable[str | None]]
"""A function that returns the next line, or None at the end of the input."""


async def end_of_input() -> str | None:
    """Return None, as a reader of lines does when nothing is left to read."""
    return None


class Prompt:
    """A prompt that prints questions on ``console`` and gets the answers from ``read_line``."""

    is_live = False
    """True if a person edits the lines at a terminal; False for a pipe, a file or a terminal without an editor."""

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
        """Print the open question again if other lines were printed after it; do nothing if no question is open."""
        if self._question is not None and not self._has_open_line:
            self.ask(self._question)

    def drop(self) -> None:
        """Stop asking the open question; nothing is printed."""
        self._question = None

    def status(self, text: str) -> None:
        """Show ``text`` as a line that the next status replaces.

        Where lines cannot be replaced, as in a file, only the first of several statuses in a row is printed.
        """
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
        """End the open line of the prompt, and yield the console, on which the block can print lines."""
        self.end_line()
        yield self.console

    def end_line(self) -> None:
        """End the line of an open question or status, so that other lines can be printed."""
        if self._has_open_line:
            self.console.print()
        self._has_open_line, self._status = False, ""

    async def read(self) -> str | None:
        """Return the next line, or None at the end of the input."""
        return await self._read_line()

    def accept(self, line: str) -> None:
        """Close the open question with the answer ``line``; print the answer unless a terminal has echoed it."""
        if not self.console.is_terminal:
            self._print(line)
        self._has_open_line, self._question = False, None

    def discard(self) -> bool:
        """Discard the text that a person typed ahead and return True; return False where that is not possible."""
        return False

    def close(self) -> None:
        """End the open line of the prompt; call this last, after all questions."""
        self.end_line()

    def _print(self, text: str, end: str = "\n") -> None:
        self.console.print(text, end=end, markup=False, highlight=False)
