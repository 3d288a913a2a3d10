"""The copy of a PostgreSQL database on this machine, which one process at a time keeps up to date and all read."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from time import sleep
from typing import Final

from structlog.stdlib import BoundLogger

from evilpegs_server.storage.location import database_file
from evilpegs_server.storage.mirror import LOOK_SECONDS, Mirror, load_places, open_source
from evilpegs_server.storage.queries import read

_NUMBERS: Final = "SELECT name, (SELECT coalesce(max(n), 0) FROM events WHERE node = name) FROM nodes"


class LocalCopy:
    """The copy of the PostgreSQL database at ``url``. Raises DatabaseUnusableError."""

    def __init__(self, url: str, log: BoundLogger | None = None) -> None:
        self._file, self._log = database_file(url), log
        self._source = open_source(url)
        self._mirror: Mirror | None = None
        self._working, self._is_closed = Lock(), False
        self.key: str | None = None
        """The public key with which nodes sign, where this process keeps the copy up to date."""
        self.last = self.gone = 0
        """The highest id of the copy, and the highest of before it was made again."""

    def follow(self, report: Callable[[float], None] = lambda _: None) -> tuple[int, int]:
        """Copy what is there now, or wait until another process has; return `last` and `gone`.

        ``report`` gets the share that is done. Raises DatabaseUnusableError.
        """
        goal: dict[str, int] = {}
        with self._working:
            while not self._is_closed:
                if (mirror := self._take()) is not None:
                    is_whole = mirror.catch_up()
                    self.last, self.gone, self.key = mirror.last, mirror.gone, mirror.key
                    if is_whole:
                        break
                    report(mirror.copied / max(1, mirror.written))
                    continue
                # an event that is forgotten meanwhile must not be waited for
                goal = {node: min(n, goal.get(node, n)) for node, n in read(self._source, _NUMBERS)}
                with suppress(sqlite3.OperationalError):  # it has only begun
                    places = load_places(self._file)
                    self.last, self.gone = max(place.id for place in places.values()), places[""].id
                    if all(n == 0 or (node in places and places[node].n >= n) for node, n in goal.items()):
                        break
                sleep(LOOK_SECONDS)
        return self.last, self.gone

    def close(self) -> None:
        """End also what `follow` does on another thread."""
        self._is_closed = True
        with self._working:
            if self._mirror is not None:
                self._mirror.close()
            self._source.dispose()

    def _take(self) -> Mirror | None:
        if self._mirror is None:
            with suppress(BlockingIOError):
                self._mirror = Mirror(self._source, self._file, self._log)
        return self._mirror
