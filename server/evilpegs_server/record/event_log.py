"""The event log of one match: its events in order, linked by a chain of hashes."""

from typing import NamedTuple

import orjson

from evilpegs_protocol.canonical import GENESIS, event_hash
from evilpegs_protocol.codec import encode_event
from evilpegs_protocol.fields import Event


class LogEntry(NamedTuple):
    """One event as it is stored and sent.

    ``seq`` is the number of the event in the match, from 1, and ``at`` its Unix time in milliseconds. ``text`` is the
    canonical JSON of the event. ``hash`` covers this text and the hash of the entry before, in hexadecimal.
    """

    seq: int
    at: int
    type: str
    text: str
    hash: str


class EventLog:
    """The append-only list of the log entries of one match, whose id is ``match``.

    ``entries`` are the entries so far, or None for a new match.
    """

    def __init__(self, match: str, entries: list[LogEntry] | None = None) -> None:
        self.match = match
        self.entries: list[LogEntry] = entries or []

    @property
    def seq(self) -> int:
        """The number of the last event; 0 before the first."""
        return len(self.entries)

    @property
    def head(self) -> str:
        """The hash of the last event; before the first event, the constant with which every chain of hashes begins."""
        return self.entries[-1].hash if self.entries else GENESIS

    def append(self, event: Event) -> LogEntry:
        """Append ``event`` as an entry, and return the entry.

        Raises:
            ValueError: the event is of another match, or its number does not follow that of the last event.
        """
        if event.seq != self.seq + 1 or event.match != self.match:
            message = f"event {event.seq} of {event.match} does not follow event {self.seq} of {self.match}"
            raise ValueError(message)
        return self.append_text(event.at, event.type, encode_event(event))

    def append_text(self, at: int, kind: str, text: str) -> LogEntry:
        """Append the next event, of type ``kind`` and with the canonical JSON ``text``, and return its entry.

        ``at`` is the time of the event in Unix milliseconds. Nothing is checked.
        """
        entries = self.entries
        before = entries[-1].hash if entries else GENESIS
        entry = LogEntry(len(entries) + 1, at, kind, text, event_hash(before, text))
        entries.append(entry)
        return entry

    def since(self, seq: int) -> list[LogEntry]:
        """Return the entries after the event with the number ``seq``, from 1; all entries if ``seq`` is 0."""
        return self.entries[seq:]

    def feedback(self, game: int, turn: int) -> LogEntry:
        """Return the entry with the feedback to the guess of a turn; ``game`` and ``turn`` are numbers from 1.

        Raises:
            LookupError: the turn has no answered guess.
        """
        for entry in self.entries:
            if entry.type == "feedback":
                event = orjson.loads(entry.text)
                if (event["game"], event["turn"]) == (game, turn):
                    return entry
        raise LookupError
