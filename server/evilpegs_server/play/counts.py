"""Counts of events, refusals, connections and times in a server, for its metrics."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from evilpegs_server.storage.durations import Durations

RATE_LIMIT: Final = "requests_per_second"
PRACTICE_LIMIT: Final = "max_practice_matches"
NO_HELLO: Final = "none"
"""The kind of a connection before `hello`."""


@dataclass(frozen=True, slots=True)
class Seats:
    """The seats and guests of a server at one moment; ``met`` counts met limits by the name of their setting."""

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
    """Histograms of the three stages of a guess.

    ``reply`` includes waiting for the worker process. ``commit`` includes, at the end of a game, the search for the
    code that it shows. ``send`` lasts until the messages are handed to the socket. A stall of the event loop is part of
    the stage in which it occurs.
    """

    __slots__ = ("commit", "reply", "send")

    def __init__(self) -> None:
        self.reply, self.commit, self.send = Durations(), Durations(), Durations()

    def add(self, began: float, known: float, committed: float, sent: float) -> None:
        """Add the times of one guess, from four readings of a clock in seconds."""
        self.reply.add(known - began)
        self.commit.add(committed - known)
        self.send.add(sent - committed)


@dataclass(frozen=True, slots=True)
class ServerCounts:
    """Counts since the start of a server. They are plain numbers, so that counting a guess takes 0.2 microseconds.

    Keys are the type of a durable event, the error code of a refusal, the kind of an open connection's player, the name
    of a limit's setting, the error class of a storage fault, and the status of an HTTP response of the game port.
    """

    events: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    connections: Counter[str] = field(default_factory=Counter)
    ended: Counter[EndReason] = field(default_factory=Counter)
    limits: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    guess_times: GuessTimes = field(default_factory=GuessTimes)
    http_refusals: Counter[int] = field(default_factory=Counter)

    def identify_connection(self, kind: str) -> None:
        """Move a connection that has sent `hello` from `NO_HELLO` to the kind of its player."""
        self.connections[NO_HELLO] -= 1
        self.connections[kind] += 1
