"""Reading from a server, once or on a screen that is kept up to date, and the lines about a cut connection."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from evilpegs.errors import CommandError, practice_ladder, unknown_ladder
from evilpegs.output import console, pluralize
from evilpegs_clients.connection.connection import RetryPolicy, server_urls
from evilpegs_clients.connection.server_reader import EventsMissed, NotFoundError, ReaderEvent, ServerReader
from evilpegs_clients.connection.session import KeyChanged, Reconnected, Reconnecting, SessionEvent, key_change_line
from evilpegs_clients.printable import printable
from evilpegs_protocol.leaderboard import LeaderboardDocument
from evilpegs_protocol.server_messages import Notice


def retry_policy() -> RetryPolicy:
    return RetryPolicy(Random())  # noqa: S311 - jitter


def server_reader(server: str) -> ServerReader:
    return ServerReader(server, "evilpegs", retry_policy(), print_session_event)


@contextmanager
def explain_refusals(server: str, match: str | None) -> Iterator[None]:
    """Replace the server's refusal of an unknown ``match`` by a CommandError that says what to do."""
    try:
        yield
    except NotFoundError:
        if match is None:
            raise
        url = ",".join(server_urls(server))
        raise CommandError(
            f"there is no match {match} on {url}; see the newest with: evilpegs replay last --server {url}"
        ) from None


async def fetch_standings(reader: ServerReader, ladder: str | None) -> list[LeaderboardDocument]:
    """Return the leaderboard of a rated ladder, or without one all that have rows; CommandError if it has none."""
    offered = {info.id: info for info in reader.welcome.ladders}
    known = [info.id for info in offered.values() if info.rated and not info.is_round]
    if ladder is None:
        leaderboards = [await reader.standings(name) for name in known]
        return [standings for standings in leaderboards if standings.rows]
    if ladder in offered and offered[ladder].is_round:
        site = reader.welcome.server.site
        raise CommandError(f"{ladder} is a round, which has no leaderboard; see its page: {site}#/round/{ladder}")
    if ladder in offered and ladder not in known:
        raise practice_ladder(ladder, reader.server)
    try:
        return [await reader.standings(ladder)]
    except NotFoundError:
        raise unknown_ladder(ladder, known, reader.server) from None


def session_line(event: SessionEvent | ReaderEvent) -> str | None:
    """Return the line that reports an event; None for the second and later attempts to connect again."""
    match event:
        case Reconnecting():
            return f"{printable(event.why)}; trying to connect again" if event.attempt == 1 else None
        case Reconnected():
            return f"connected again after {pluralize(event.attempts, 'attempt')}"
        case KeyChanged():
            return key_change_line(event)
        case EventsMissed():
            return "more happened meanwhile than the server can repeat; some events are missing"
        case Notice():
            return f"the server says: {printable(event.message)}"


def print_session_event(event: SessionEvent | ReaderEvent) -> None:
    line = session_line(event)
    if line is not None:
        console(sys.stderr).print(line, soft_wrap=True)


class LiveScreen:
    """A part of the terminal that shows ``view()`` while it is ``live``, and a line about the connection below."""

    def __init__(self, out: Console, view: Callable[[], RenderableType]) -> None:
        self._view = view
        self._status = ""
        self.live = Live(view(), console=out, auto_refresh=False)

    def draw(self) -> None:
        status = [Text(self._status, "bold", no_wrap=True, overflow="ellipsis")] if self._status else []
        self.live.update(Group(self._view(), *status), refresh=True)

    def say(self, event: ReaderEvent) -> None:
        match event:
            case Reconnecting(attempt=attempt) if attempt > 1:
                first = self._status.partition(" (attempt ")[0]
                self._status = f"{first} (attempt {attempt})"
            case Reconnected():
                self._status = ""
            case _:
                self._status = session_line(event) or ""
        self.draw()
