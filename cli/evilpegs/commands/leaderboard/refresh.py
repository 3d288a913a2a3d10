"""Leaderboards that are updated until Ctrl-C: in place on a terminal; elsewhere each new version is printed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from functools import partial

from rich.console import RenderableType

from evilpegs.commands.leaderboard.from_server import fetch_standings
from evilpegs.commands.leaderboard.table import show_standings, standings_view
from evilpegs.live_screen import LiveScreen
from evilpegs.output import can_redraw, console
from evilpegs.reading import print_session_event, retry_policy
from evilpegs_clients.connection.server_reader import ServerReader
from evilpegs_clients.connection.session_events import SessionEvent
from evilpegs_protocol.listings import Standings

ReadNow = Callable[[], Awaitable[list[Standings]]]
"""A function that reads the current standings and returns them."""


async def show_refreshed(server: str | None, database: str | None, ladder: str | None, seconds: float) -> None:
    """Show leaderboards until interrupted, and read them again every ``seconds`` seconds.

    The leaderboards are read from the server at the address ``server``. If ``server`` is None, they are read from the
    database at the URL ``database``, or from the database that `evilpegs serve` uses if ``database`` is None too.
    ``ladder`` is the id of a ladder, or None for each ladder that has rated games.

    Raises:
        CommandError: there is no such ladder, or the database cannot be read.
        ClientError: the server cannot be reached.
    """
    board = Board()
    async with _source(server, database, ladder, board.say) as read_now:
        board.show(await read_now())
        with board.screen or nullcontext():
            while True:
                await asyncio.sleep(seconds)
                board.show(await read_now())


class Board:
    """A view of leaderboards that is drawn again on a terminal, and printed in each new version elsewhere.

    ``screen`` is the part of the terminal that is drawn again, or None if nothing can be drawn again on
    standard output.
    """

    def __init__(self) -> None:
        self._out = console()
        self._shown: list[Standings] | None = None
        self.screen = LiveScreen(self._out, self._view) if can_redraw(self._out) else None

    def show(self, standings: list[Standings]) -> None:
        """Show the leaderboards ``standings`` in place of those shown before.

        If standard output is not a terminal, print them, but only if they differ from those printed last.
        """
        is_new, self._shown = standings != self._shown, standings
        if self.screen is not None:
            self.screen.draw()
        elif is_new:
            show_standings(self._out, standings)
            self._out.print()
            self._out.file.flush()

    def say(self, event: SessionEvent) -> None:
        """Show a line about an event of the connection to the server."""
        (self.screen.say if self.screen else print_session_event)(event)

    def _view(self) -> RenderableType:
        return standings_view(self._out, self._shown or [])


@asynccontextmanager
async def _source(
    server: str | None, database: str | None, ladder: str | None, on_event: Callable[[SessionEvent], None]
) -> AsyncIterator[ReadNow]:
    if server is not None:
        async with ServerReader(server, "evilpegs", retry_policy(), on_event) as reader:
            yield partial(fetch_standings, reader, ladder)
        return
    from evilpegs.commands.leaderboard.from_database import FollowedStandings  # noqa: PLC0415 - needs the extra
    from evilpegs.database import open_for_reading  # noqa: PLC0415 - needs the extra `server`

    with open_for_reading(database) as engine:
        followed = FollowedStandings(engine, ladder)
        try:
            yield followed.current
        finally:
            await followed.close()
