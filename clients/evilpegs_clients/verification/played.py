"""A comparison of what a player received during a match with the record that the server hands out afterwards."""

from collections.abc import Mapping, Sequence
from typing import Any

from evilpegs_clients.verification.violation import Subject, Violation


def compare_records(received: Sequence[Mapping[str, Any]], handed_out: Sequence[Mapping[str, Any]]) -> list[Violation]:
    """Return a violation if the two differ, naming the first event that does."""
    for number, (mine, theirs) in enumerate(zip(received, handed_out, strict=False), 1):
        if mine != theirs:
            names = sorted(name for name in {*mine, *theirs} if mine.get(name) != theirs.get(name))
            what = f"event {number} of the server's record is not what was received: it differs in {', '.join(names)}"
            return [Violation(what, subject=Subject.PLAYED)]
    if len(received) != len(handed_out):
        what = f"{len(received)} events were received, but the server's record has {len(handed_out)}"
        return [Violation(what, subject=Subject.PLAYED)]
    return []
