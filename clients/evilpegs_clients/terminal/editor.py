"""The prompt at a terminal: the line is edited with arrow keys, earlier lines come back, and Tab completes commands.

While a person types, the prompt and the typed text stay below everything that is printed. The text of the question is
updated, so that it can show the time left.
"""

import signal
import termios
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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

from evilpegs_clients.terminal.prompt import Prompt, Question

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
        termios.tcflush(self._keys.fileno(), termios.TCIFLUSH)
        clear_typeahead(self._keys)
        self._pasted.clear()
        self._session.default_buffer.reset()
        return True

    def close(self) -> None:
        """Remove an open prompt from the screen."""
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
