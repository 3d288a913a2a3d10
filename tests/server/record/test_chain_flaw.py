"""The chain of hashes over stored events."""

from evilpegs_protocol.codec import canonical
from evilpegs_protocol.record import GENESIS, event_hash
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.record.recorded_match import chain_flaw


def chained(*events):
    """Entries whose hashes hold."""
    head, entries = GENESIS, []
    for seq, event in enumerate(events, 1):
        text = canonical(event)
        head = event_hash(head, text)
        entries.append(LogEntry(seq, 0, event["type"], text, head))
    return entries


def test_intact_chain_has_no_flaw():
    (first,) = chained({"type": "match_started"})
    assert chain_flaw([]) is None
    assert chain_flaw(chained({"type": "match_started"}, {"type": "match_over", "head": first.hash})) is None


def test_chain_flaw_names_wrong_head():
    entries = chained({"type": "match_started"}, {"type": "match_over", "head": GENESIS})
    flaw = chain_flaw(entries)
    assert "head" in flaw
    assert "match_over" in flaw
