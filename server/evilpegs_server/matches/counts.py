"""Counts of what happened in the matches of a server, for its metrics."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from evilpegs_server.storage.durations import Durations

RATE_LIMIT: Final = "requests_per_second"
PRACTICE_LIMIT: Final = "max_practice_matches"
"""The names of the limits that are counted here."""
NO_HELLO: Final = "none"
"""The kind of connections that have not said hello."""


@dataclass(slots=True)
class HttpCounts:
    """Counts of HTTP on both ports of a server.

    ``refusals`` counts the responses with a status of 400 or more since the start, by port (`game` or `site`) and
    status. ``connections`` is the number of connections to the site that are open now, ``refused_connections`` counts
    those that were closed because too many were open, and ``waits`` the requests that had to wait because the site had
    used its share of the time.
    """

    refusals: Counter[tuple[str, int]] = field(default_factory=Counter)
    connections: int = 0
    refused_connections: int = 0
    waits: int = 0

    def note_status(self, port: str, status: int) -> None:
        """Count a response of this port if it is a refusal."""
        if status >= 400:
            self.refusals[port, status] += 1


@dataclass(frozen=True, slots=True)
class Seats:
    """The seats of the game at one moment, the guests, and how often each limit of admission was met by its name."""

    ordinary: int
    ordinary_taken: int
    reserve: int
    reserve_taken: int
    guests: int
    guests_taken: int
    met: Mapping[str, int]


class EndReason(StrEnum):
    """The reasons for which the server ends a connection that its client would have kept."""

    FRAMES = "frames"
    MESSAGES = "messages"
    UNSENT = "unsent"
    NO_HELLO = "no_hello"
    IDLE_GUEST = "idle_guest"
    STORAGE = "storage"


class GuessTimes:
    """The times of the stages of guesses: until the reply is known, then until it is durable, then until it is sent.

    The time of a reply begins when the match begins with the guess, and includes waiting for the worker. The last stage
    ends when the messages are handed to the socket. Stalls of the event loop are part of the stage that they fall into.
    """

    __slots__ = ("commit", "reply", "send")

    def __init__(self) -> None:
        self.reply, self.commit, self.send = Durations(), Durations(), Durations()

    def add(self, began: float, known: float, committed: float, sent: float) -> None:
        """Add a guess by four readings of a clock in seconds."""
        self.reply.add(known - began)
        self.commit.add(committed - known)
        self.send.add(sent - committed)


@dataclass(frozen=True, slots=True)
class ServerCounts:
    """Counts since the start of the server. They are plain numbers, which cost a guess a fifth of a microsecond.

    ``events`` counts the durable events by type, and ``refusals`` the errors that were sent by error code.
    ``connections`` are those open now by the kind of their player, ``none`` before they have said hello, and ``ended``
    counts those that the server has ended by reason. ``limits`` counts by the name of its setting how often a limit was
    met which `Admission` does not count. ``faults`` counts failures of the storage by the class of their error.
    """

    events: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    connections: Counter[str] = field(default_factory=Counter)
    ended: Counter[EndReason] = field(default_factory=Counter)
    limits: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    guess_times: GuessTimes = field(default_factory=GuessTimes)
    http: HttpCounts = field(default_factory=HttpCounts)

    def identify_connection(self, kind: str) -> None:
        """Count a connection that has said hello under the kind of its player."""
        self.connections[NO_HELLO] -= 1
        self.connections[kind] += 1
