"""Counts of events, refusals, connections and times in a server, for its metrics."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from time import perf_counter
from typing import Final

from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.storage.durations import Durations

RATE_LIMIT: Final = "requests_per_second"
PRACTICE_LIMIT: Final = "max_practice_matches"
NO_HELLO: Final = "none"
"""The kind of a connection before `hello`."""


class EndReason(StrEnum):
    """The reasons for which the server ends a connection that its client would have kept."""

    FRAMES = "frames"
    MESSAGES = "messages"
    UNSENT = "unsent"
    NO_HELLO = "no_hello"
    IDLE_GUEST = "idle_guest"
    IDLE_NAME = "idle_name"
    STORAGE = "storage"
    OPERATOR = "operator"


@dataclass(slots=True)
class GuessTimes:
    """Readings of perf_counter; those of a guess that got no reply stay 0."""

    began: float
    replied: float = 0.0
    committed: float = 0.0


@dataclass(frozen=True, slots=True)
class ServerCounts:
    """Counts since the start of a server, as plain numbers: counting a guess takes 0.2 microseconds."""

    events: Counter[str] = field(default_factory=Counter)  # durable ones, by type
    refusals: Counter[str] = field(default_factory=Counter)  # by error code
    connections: Counter[str] = field(default_factory=Counter)  # open ones, by kind of player
    ended: Counter[EndReason] = field(default_factory=Counter)
    limits: Counter[str] = field(default_factory=Counter)  # by setting
    faults: Counter[str] = field(default_factory=Counter)  # of the storage, by error class
    http_refusals: Counter[int] = field(default_factory=Counter)  # of the game port, by status
    # The reply includes waiting for the worker process. The commit includes, at the end of a game, the search for the
    # code that it shows. Sending lasts until the messages are handed to the socket. A stall of the event loop is part
    # of the stage in which it occurs.
    guess_times: dict[str, Durations] = field(
        default_factory=lambda: {stage: Durations() for stage in ("reply", "commit", "send")}
    )

    def add_step(self, entries: Iterable[LogEntry], times: GuessTimes | None) -> None:
        """Count the events of a step whose texts were just sent, and the stages of its guess."""
        for entry in entries:
            self.events[entry.type] += 1
        if times is not None and times.replied:
            self.guess_times["reply"].add(times.replied - times.began)
            self.guess_times["commit"].add(times.committed - times.replied)
            self.guess_times["send"].add(perf_counter() - times.committed)
