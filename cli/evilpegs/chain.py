"""Whether the stored record of a match is still what was written."""

import json
from collections.abc import Iterable

from evilpegs_protocol.canonical import GENESIS, event_hash
from evilpegs_server.record import Entry


def chain_flaw(entries: Iterable[Entry]) -> str | None:
    """What first breaks the chain of hashes, in one line; None if it holds."""
    head = GENESIS
    for place, entry in enumerate(entries, 1):
        if entry.seq != place:
            return f"event {place} is missing"
        if entry.hash != event_hash(head, entry.text):
            return f"event {place} was changed: its hash does not follow from the one before"
        if entry.type == "match_over" and json.loads(entry.text)["head"] != head:
            return "the head in match_over is not the hash of the event before"
        head = entry.hash
    return None
