from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from evilpegs.reading import session_line
from evilpegs_clients.connection.session_events import Reconnected, Reconnecting, SessionEvent


class LiveScreen:
    """A part of the terminal that shows ``view()`` during a `with` block, and a line about the connection below."""

    def __init__(self, out: Console, view: Callable[[], RenderableType]) -> None:
        self._view = view
        self._status = ""
        self._live = Live(console=out, auto_refresh=False)

    def __enter__(self) -> Self:
        self._live.start()
        self.draw()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._live.stop()

    def draw(self) -> None:
        status = [Text(self._status, "bold", no_wrap=True, overflow="ellipsis")] if self._status else []
        self._live.update(Group(self._view(), *status), refresh=True)

    def say(self, event: SessionEvent) -> None:
        """Show a line about an event of the connection, until the connection is restored."""
        match event:
            case Reconnecting(attempt=attempt) if attempt > 1:
                first = self._status.partition(" (attempt ")[0]
                self._status = f"{first} (attempt {attempt})"
            case Reconnected():
                self._status = ""
            case _:
                self._status = session_line(event) or ""
        self.draw()
