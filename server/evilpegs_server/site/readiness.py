from typing import Final

from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.storage import writes
from evilpegs_server.storage.writer import Writer

PROBE: Final = "readyz"
"""The name of a cursor in the database that is written to find out if writing works again."""


class Readiness:
    """A check for obstacles to new matches.

    After a failed commit, each check also submits a small write. Otherwise a server without players would never notice
    that its disk has space again.
    """

    def __init__(self, registry: MatchRegistry, writer: Writer) -> None:
        self._registry = registry
        self._writer = writer
        self._probing = False

    def obstacle(self) -> str | None:
        if self._registry.draining:
            return "the server is about to stop"
        if self._writer.health.stuck:
            return "the event log cannot be written: a commit takes too long"
        if self._writer.health.obstacle is not None:
            return "the event log cannot be written: the database file was moved, deleted or replaced"
        if self._writer.health.failed:
            self._probe()
            return "the event log cannot be written: the last commit failed"
        return None

    def _probe(self) -> None:
        if not self._probing:
            self._probing = True
            self._writer.submit([writes.move_cursor(PROBE, 0)], self._finish_probe)

    def _finish_probe(self, _error: Exception | None) -> None:
        self._probing = False
