"""Counts of events, refusals, connections and times in a server, for its metrics."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from evilpegs_server.storage.durations import Durations

RATE_LIMIT: Final = "requests_per_second"
PRACTICE_LIMIT: Final = "max_practice_matches"
"""The names of the limits that `ServerCounts` counts."""
NO_HELLO: Final = "none"
"""The kind of a connection that has not sent `hello` yet."""


@dataclass(slots=True)
class HttpCounts:
    """Counts of HTTP requests and connections on both ports of a server.

    ``refusals`` counts the responses with a status of 400 or more since the start, by port (`game` or `site`) and
    status. ``connections`` is the number of open connections to the site, and ``refused_connections`` counts the
    connections that were closed because too many were open. ``waits`` counts the requests to the site that had to wait
    because the site had used its share of the event loop's time.
    """

    refusals: Counter[tuple[str, int]] = field(default_factory=Counter)
    connections: int = 0
    refused_connections: int = 0
    waits: int = 0

    def note_status(self, port: str, status: int) -> None:
        """Count a response on ``port``, `game` or `site`, if its status is 400 or more."""
        if status >= 400:
            self.refusals[port, status] += 1


@dataclass(frozen=True, slots=True)
class Seats:
    """The numbers of seats and guests at one moment, and counts of the limits of admission.

    A seat is a connection that the server can accept. The seats of the reserve are for players who come back to an open
    match, and all others are ordinary. ``guests`` is the largest number of guests. Fields that end in ``_taken`` are
    the numbers in use. ``met`` has the number of times that each limit was met, by the name of its setting.
    """

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
    """Histograms of the times that the server takes for the three stages of a guess.

    The stage ``reply`` lasts until the codemaker's reply is known and includes waiting for the worker process. The
    stage ``commit`` lasts until the reply is durable; if the guess ends a game, it includes the search for the code
    that the end shows. The stage ``send`` lasts until the messages are handed to the socket. A stall of the event loop
    is part of the stage in which it occurs.
    """

    __slots__ = ("commit", "reply", "send")

    def __init__(self) -> None:
        self.reply, self.commit, self.send = Durations(), Durations(), Durations()

    def add(self, began: float, known: float, committed: float, sent: float) -> None:
        """Add the times of one guess, from four readings of a clock in seconds.

        The readings are taken when the codemaker is asked for the reply, when the reply is known, when it is stored,
        and when it is sent.
        """
        self.reply.add(known - began)
        self.commit.add(committed - known)
        self.send.add(sent - committed)


@dataclass(frozen=True, slots=True)
class ServerCounts:
    """Counts since the start of a server. They are plain numbers, so that counting a guess takes 0.2 microseconds.

    ``events`` counts durable events by type, and ``refusals`` the errors that were sent, by error code. ``connections``
    has the numbers of open connections by the kind of their player: ``bot``, ``human``, ``guest``, or ``none`` before
    `hello`. ``ended`` counts the connections that the server has ended, by reason. ``limits`` counts how often the rate
    limit and the limit of practice matches were met, by the name of the setting of each limit. ``faults`` counts
    failures of the storage by their error class.
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
        """Count an open connection, which has just sent `hello`, under the kind of its player.

        ``kind`` is ``bot``, ``human`` or ``guest``. Before, the connection was counted under `NO_HELLO`.
        """
        self.connections[NO_HELLO] -= 1
        self.connections[kind] += 1
