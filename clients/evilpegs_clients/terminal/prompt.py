"""The prompt below the printed lines: an open question whose answer is typed, or a status that changes."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType

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
