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


async def show_refreshed(server: str | None, database: str | None, ladder: str | None, seconds: float) -> None:
    """Show leaderboards of a server, or else of a database, and read them again until interrupted."""
    board = Board()
    async with _source(server, database, ladder, board.say) as read_now:
        board.show(await read_now())
        with board.screen or nullcontext():
            while True:
                await asyncio.sleep(seconds)
                board.show(await read_now())


class Board:
    """A view of leaderboards, redrawn on a terminal; elsewhere, each new version is printed."""

    def __init__(self) -> None:
        self._out = console()
        self._shown: list[Standings] | None = None
        self.screen = LiveScreen(self._out, self._view) if can_redraw(self._out) else None

    def show(self, standings: list[Standings]) -> None:
        """Show these leaderboards; if nothing can be redrawn, print them only if they have changed."""
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
