"""Counts of what happened in the matches of a server, for its metrics."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

NO_HELLO: Final = "none"
"""The kind of connections that have not said hello."""


@dataclass(slots=True)
class HttpCounts:
    """Counts of HTTP on both ports of a server.

    ``refusals`` counts the responses with a status of 400 or more since the start, by port (`game` or `site`) and
    status. ``connections`` is the number of connections to the site that are open now.
    """

    refusals: Counter[tuple[str, int]] = field(default_factory=Counter)
    connections: int = 0

    def note_status(self, port: str, status: int) -> None:
        """Count a response of this port if it is a refusal."""
        if status >= 400:
            self.refusals[port, status] += 1


@dataclass(frozen=True, slots=True)
class ServerCounts:
    """Counts since the start of the server. They are plain numbers, which cost a guess a fifth of a microsecond.

    ``events`` counts the durable events by type, and ``refusals`` the errors that were sent by error code.
    ``connections`` are those open now by the kind of their player, ``none`` before they have said hello.
    """

    events: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    connections: Counter[str] = field(default_factory=Counter)
    http: HttpCounts = field(default_factory=HttpCounts)

    def identify_connection(self, kind: str) -> None:
        """Count a connection that has said hello under the kind of its player."""
        self.connections[NO_HELLO] -= 1
        self.connections[kind] += 1
