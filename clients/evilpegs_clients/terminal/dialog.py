"""A dialog of questions on a screen."""

import asyncio

from evilpegs_clients.terminal.screen import Screen
from evilpegs_clients.terminal.words import parse_yes


class LeaveError(Exception):
    """An error raised when the person wants to leave, or when the input has ended."""


class Dialog:
    """A dialog on ``screen``; a line that arrives too late for its question answers the next one."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self._prompt = screen.prompt
        self._reading: asyncio.Future[str | None] | None = None

    async def ask(self, prompt: str) -> str:
        """Ask a question with the text ``prompt`` and return the answer; raise LeaveError at the end of the input."""
        self._prompt.ask(lambda: prompt)
        await asyncio.wait([self._next_line()])
        return self._answer()

    async def confirm(self, question: str, default: bool = True) -> bool:
        """Ask a question and return True for yes and False for no; an empty line means ``default``.

        Raises:
            LeaveError: the input has ended.
        """
        choice = "[Y/n]" if default else "[y/N]"
        while (yes := parse_yes(await self.ask(f"{question} {choice}"), default)) is None:
            self.screen.say("Type y or n.")
        return yes

    def discard_typed_ahead(self) -> None:
        """Discard lines that were typed for a turn that is over."""
        if self._prompt.discard() and self._reading is not None and self._reading.done():
            self._reading = None

    def close(self) -> None:
        """Stop reading lines and close the prompt."""
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
