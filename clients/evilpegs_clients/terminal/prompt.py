"""The prompt below what is printed: an open question whose answer is typed, or a status that changes.

A prompt for a pipe, a file or a terminal without an editor prints itself once and leaves the line open. It ends that
line before anything else is printed.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType

Question = Callable[[], str]
"""A function that returns the text of a prompt as it is now: it may contain the time left."""
ReadLine = Callable[[], Awaitable[str | None]]
"""A function that returns the next line; None at the end of the input."""


async def end_of_input() -> str | None:
    """Return None: there is nothing to read."""
    return None


class Prompt:
    """A prompt on ``console`` for lines that ``read_line`` returns."""

    is_live = False
    """True if a person types, who sees what is printed meanwhile; other lines wait until they are wanted."""

    def __init__(self, console: Console, read_line: ReadLine = end_of_input) -> None:
        self.console = console
        self._read_line = read_line
        self._question: Question | None = None
        self._has_open_line = False
        self._status = ""

    def ask(self, question: Question) -> None:
        """Show a question; the typed line follows it."""
        self.end_line()
        self._print(question(), end=" ")
        self._has_open_line, self._question = True, question

    def ask_again(self) -> None:
        """Show the open question again, below what was printed since."""
        if self._question is not None and not self._has_open_line:
            self.ask(self._question)

    def drop(self) -> None:
        """Ask the open question no longer."""
        self._question = None

    def status(self, text: str) -> None:
        """Show a line that the next status replaces; where lines cannot be replaced, only the first is printed."""
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
        """Let the block print lines above the prompt."""
        self.end_line()
        yield self.console

    def end_line(self) -> None:
        """End the line of an open question or status, so that somebody else can print."""
        if self._has_open_line:
            self.console.print()
        self._has_open_line, self._status = False, ""

    async def read(self) -> str | None:
        """Return the next line; None at the end of the input."""
        return await self._read_line()

    def accept(self, line: str) -> None:
        """Note that ``line`` is the answer to the open question; print it unless a terminal has echoed it."""
        if not self.console.is_terminal:
            self._print(line)
        self._has_open_line, self._question = False, None

    def discard(self) -> bool:
        """Discard what a person typed ahead; return False and discard nothing if no person types."""
        return False

    def close(self) -> None:
        """End the prompt; nothing is asked any more."""
        self.end_line()

    def _print(self, text: str, end: str = "\n") -> None:
        self.console.print(text, end=end, markup=False, highlight=False)
