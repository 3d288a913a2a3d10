"""The event log of one match: its events in order, in a chain of hashes."""

from typing import NamedTuple

import orjson

from evilpegs_protocol.canonical import GENESIS, event_hash
from evilpegs_protocol.codec import encode_event
from evilpegs_protocol.fields import Event


class LogEntry(NamedTuple):
    """One event as it is stored and sent. ``text`` is its canonical JSON; ``hash`` covers it and the hash before."""

    seq: int
    at: int
    type: str
    text: str
    hash: str


class EventLog:
    """The entries of a match so far, to which entries can only be appended."""

    def __init__(self, match: str, entries: list[LogEntry] | None = None) -> None:
        self.match = match
        self.entries: list[LogEntry] = entries or []

    @property
    def seq(self) -> int:
        """The number of the last event; 0 before the first."""
        return len(self.entries)

    @property
    def head(self) -> str:
        """The hash of the last event."""
        return self.entries[-1].hash if self.entries else GENESIS

    def append(self, event: Event) -> LogEntry:
        """Append an event. Raises ValueError unless it is the next event of this match."""
        if event.seq != self.seq + 1 or event.match != self.match:
            message = f"event {event.seq} of {event.match} does not follow event {self.seq} of {self.match}"
            raise ValueError(message)
        return self.append_text(event.at, event.type, encode_event(event))

    def append_text(self, at: int, kind: str, text: str) -> LogEntry:
        """Append the next event, of type ``kind``, whose canonical JSON is ``text``. Nothing is checked."""
        entries = self.entries
        before = entries[-1].hash if entries else GENESIS
        entry = LogEntry(len(entries) + 1, at, kind, text, event_hash(before, text))
        entries.append(entry)
        return entry

    def since(self, seq: int) -> list[LogEntry]:
        """Return every entry after ``seq``."""
        return self.entries[seq:]

    def feedback(self, game: int, turn: int) -> LogEntry:
        """Return the entry that answered the guess of a turn; raises LookupError if there is none."""
        for entry in self.entries:
            if entry.type == "feedback":
                event = orjson.loads(entry.text)
                if (event["game"], event["turn"]) == (game, turn):
                    return entry
        raise LookupError

    def guess_times(self, game: int) -> list[int]:
        """Return the milliseconds that each answered guess of a game took, in order."""
        times = []
        for entry in reversed(self.entries):
            if entry.type == "game_started" and orjson.loads(entry.text)["game"] == game:
                break
            if entry.type == "feedback":
                event = orjson.loads(entry.text)
                if event["game"] == game:
                    times.append(event["took_ms"])
        return times[::-1]
