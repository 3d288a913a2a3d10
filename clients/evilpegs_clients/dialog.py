"""Questions to a person, whose answer may take longer than what was asked about."""

import asyncio
from collections.abc import Awaitable, Callable

from evilpegs_clients.commands import read_yes
from evilpegs_clients.screen import Screen
from evilpegs_clients.seat import Seat

ReadLine = Callable[[], Awaitable[str | None]]
Forget = Callable[[], bool]
"""Drops what was typed ahead; False if it cannot."""


class LeaveError(Exception):
    """The person wants to go, or the input has ended."""


class Dialog:
    """Asks on ``screen`` and reads lines. A line that was not waited for in the end is read by the next question."""

    def __init__(self, screen: Screen, read_line: ReadLine, forget: Forget = lambda: False) -> None:
        self.screen = screen
        self._forget = forget
        self._read_line = read_line
        self._reading: asyncio.Future[str | None] | None = None

    async def ask(self, prompt: str) -> str:
        """The line that answers; raises LeaveError at the end of the input."""
        self.screen.ask(prompt)
        await asyncio.wait([self._line()])
        return self._answer()

    async def ask_at(self, seat: Seat, prompt: str) -> str | None:
        """The line that answers, or None if the match went on without it."""
        self.screen.ask(prompt)
        return self._answer() if await seat.ends_in_time(self._line()) else None

    async def is_yes(self, question: str) -> bool:
        """Whether the person says yes, as an empty line does; raises LeaveError at the end of the input."""
        while (yes := read_yes(await self.ask(f"{question} [Y/n]"), default=True)) is None:
            self.screen.say("Type y or n.")
        return yes

    async def is_yes_at(self, seat: Seat, question: str) -> bool:
        """Whether the person says yes before the match goes on without it; an empty line says no."""
        yes = None
        while yes is None:
            line = await self.ask_at(seat, f"{question} [y/N]")
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
