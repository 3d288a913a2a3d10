"""The prompt below the printed lines: an open question whose answer is typed, or a status that changes."""

import asyncio
import os
import select
import signal
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import Output
from prompt_toolkit.shortcuts import CompleteStyle
from rich.console import Console
from rich.control import Control
from rich.segment import ControlType

CHUNK: Final = 4096

Question = Callable[[], str]  # the current text of a question, which may contain the time left
ReadLine = Callable[[], Awaitable[str | None]]  # the next line, or None at the end of the input


class Prompt:
    """A prompt that prints a question once and leaves its line open for the answer, until anything else is printed."""

    is_live = False  # true if a person edits the lines at a terminal

    def __init__(self, console: Console, read_line: ReadLine | None = None) -> None:
        self.console = console
        self._read_line = read_line
        self._question: Question | None = None
        self._has_open_line = False
        self._status = ""

    def ask(self, question: Question) -> None:
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
        if self._has_open_line:
            self.console.print()
        self._has_open_line, self._status = False, ""

    async def read(self) -> str | None:
        return None if self._read_line is None else await self._read_line()

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
    """A reader of a terminal, a pipe or a file, which needs no thread and does not block the event loop."""

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


REFRESH_SECONDS: Final = 0.5


class EditedPrompt(Prompt):
    is_live = True

    def __init__(self, console: Console, keys: Input, display: Output, words: Iterable[str] = ()) -> None:
        super().__init__(console)
        self._keys = keys
        # not returned yet; the last one was pasted without a line end
        self._pasted: deque[str] = deque()
        self._session: PromptSession[str] = PromptSession(
            self._text,
            input=keys,
            output=display,
            completer=WordCompleter(sorted(word for word in words if word), sentence=True),
            complete_style=CompleteStyle.READLINE_LIKE,
            complete_while_typing=False,
            reserve_space_for_menu=0,
            refresh_interval=REFRESH_SECONDS,
            key_bindings=self._bindings(),
            enable_suspend=True,
        )

    @property
    def _is_open(self) -> bool:
        return self._session.app.is_running

    def ask(self, question: Question) -> None:
        """Show ``question`` from now on; text that is already typed stays."""
        if not self._is_open:
            self.end_line()
        self._question = question
        self._session.app.invalidate()

    def ask_again(self) -> None:
        """Do nothing: this prompt always shows the open question."""

    def drop(self) -> None:
        """Stop asking; text that is already typed stays for the next question."""
        super().drop()
        self._session.app.invalidate()

    def status(self, text: str) -> None:
        """Show ``text`` above the open question until another line is printed."""
        if self._is_open:
            self._status = text
            self._session.app.invalidate()
        else:
            super().status(text)

    @contextmanager
    def above(self) -> Iterator[Console]:
        """Remove an open prompt from the screen during the block, which can print lines."""
        if self._is_open:
            self._status = ""
            self._session.app.renderer.erase()
            yield self.console
            self._session.app.invalidate()
        else:
            with super().above() as console:
                yield console

    async def read(self) -> str | None:
        """Return an edited line, or None after Ctrl-D; pasted lines are returned one by one, as if typed."""
        line = self._pasted.popleft() if self._pasted else ""
        has_end = bool(self._pasted)
        try:
            return await self._session.prompt_async(default=line, accept_default=has_end, handle_sigint=False)
        except EOFError:
            return None

    def discard(self) -> bool:
        """Discard all typed or pasted text that was not returned yet."""
        import termios  # noqa: PLC0415 - not on every system

        termios.tcflush(self._keys.fileno(), termios.TCIFLUSH)
        clear_typeahead(self._keys)
        self._pasted.clear()
        self._session.default_buffer.reset()
        return True

    def close(self) -> None:
        if self._is_open:
            self._session.app.erase_when_done = True
        super().close()

    def _text(self) -> str:
        status = f"{self._status}\n" if self._status else ""
        return status + (f"{self._question()} " if self._question else "")

    def _bindings(self) -> KeyBindings:
        keys = KeyBindings()
        # as where no line is edited
        keys.add("c-c")(lambda _: signal.raise_signal(signal.SIGINT))
        keys.add(Keys.BracketedPaste)(self._paste)
        return keys

    def _paste(self, event: KeyPressEvent) -> None:
        first, *others = event.data.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        event.current_buffer.insert_text(first)
        if others:
            self._pasted.extend(others)
            event.current_buffer.validate_and_handle()
