"""The event log of one match: its events in order, linked by a chain of hashes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from evilpegs_protocol.record import GENESIS, event_hash


class LogEntry(NamedTuple):
    """One event; ``at`` is in Unix ms, ``text`` is canonical JSON, and ``hash`` covers it and the hash before."""

    seq: int
    at: int
    type: str
    text: str
    hash: str


class EventLog:
    def __init__(self, match: str, entries: list[LogEntry] | None = None) -> None:
        self.match = match
        self.entries: list[LogEntry] = entries or []

    @property
    def seq(self) -> int:
        return len(self.entries)

    @property
    def head(self) -> str:
        return self.entries[-1].hash if self.entries else GENESIS

    def append(self, event: Mapping[str, Any]) -> LogEntry:
        """Append ``event``. Raises ValueError if it does not follow the last event of this match."""
        if event["seq"] != self.seq + 1 or event["match"] != self.match:
            raise ValueError(
                f"event {event['seq']} of {event['match']} does not follow event {self.seq} of {self.match}"
            )
        text = orjson.dumps(event, option=orjson.OPT_SORT_KEYS).decode()
        return self.append_text(event["at"], event["type"], text)

    def append_text(self, at: int, kind: str, text: str) -> LogEntry:
        """Append an event of type ``kind``, whose canonical JSON is ``text``, without any check."""
        entry = LogEntry(self.seq + 1, at, kind, text, event_hash(self.head, text))
        self.entries.append(entry)
        return entry

    def since(self, seq: int) -> list[LogEntry]:
        return self.entries[seq:]

    def feedback(self, game: int, turn: int) -> LogEntry:
        """Return the entry that answers the guess of a turn. Raises LookupError if none does."""
        for entry in self.entries:
            if entry.type == "feedback":
                event = orjson.loads(entry.text)
                if (event["game"], event["turn"]) == (game, turn):
                    return entry
        raise LookupError
