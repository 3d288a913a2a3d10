"""Whether the stored record of a match is still what was written."""

import json
from collections.abc import Sequence
from itertools import pairwise

from evilpegs_protocol.canonical import GENESIS, chain
from evilpegs_server.record import Entry


def chain_flaw(entries: Sequence[Entry]) -> str | None:
    """What first breaks the chain of hashes, in one line; None if it holds."""
    hashes = [GENESIS, *chain(entry.text for entry in entries)]
    for place, (entry, (head, due)) in enumerate(zip(entries, pairwise(hashes), strict=True), 1):
        if entry.seq != place:
            return f"event {place} is missing"
        if entry.hash != due:
            return f"event {place} was changed: its hash does not follow from the one before"
        if entry.type == "match_over" and json.loads(entry.text)["head"] != head:
            return "the head in match_over is not the hash of the event before"
    return None
