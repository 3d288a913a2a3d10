"""A dialog with a person: questions on a screen, and typed lines as answers."""

import asyncio

from evilpegs_clients.terminal.screen import Screen
from evilpegs_clients.terminal.words import parse_yes


class LeaveError(Exception):
    """The person wants to leave, or the input has ended."""


class Dialog:
    """Questions on ``screen``, and typed lines as answers.

    A question may end before it is answered, for example when a game is over. A line that is typed after that answers
    the next question.
    """

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
