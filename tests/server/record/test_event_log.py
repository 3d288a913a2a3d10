"""The record of a match is a chain of hashed events to which events are only appended."""

import hashlib
import json

import pytest

from evilpegs_protocol.canonical import canonical
from evilpegs_protocol.server_messages import FeedbackGiven, GameStarted, MatchOver
from evilpegs_server.record.event_log import Record

MATCH = "00112233445566aa"


def started(seq, match=MATCH, re=None):
    return GameStarted(match=match, seq=seq, at=1_000 + seq, game=1, commitment="ab" * 32, ready_by_ms=60_000, re=re)


def feedback(seq, game, turn):
    return FeedbackGiven(
        match=MATCH, seq=seq, at=0, game=game, turn=turn, code="1122", black=1, white=0, took_ms=5, left_ms=None
    )


@pytest.fixture
def record():
    """Return a record of three events."""
    record = Record(MATCH)
    for seq in (1, 2, 3):
        record.append(started(seq))
    return record


def test_new_record_is_empty():
    record = Record(MATCH)
    assert (record.seq, record.head, record.entries) == (0, "0" * 64, [])


def test_entry_is_canonical_json(record):
    entry = record.append(started(4))
    assert (entry.seq, entry.at, entry.type) == (4, 1_004, "game_started")
    assert entry.text == canonical(json.loads(entry.text))
    assert GameStarted.model_validate_json(entry.text) == started(4)


def test_entry_omits_request_id():
    assert Record(MATCH).append(started(1, re="7")) == Record(MATCH).append(started(1))


def test_entry_hashes_form_chain(record):
    head = "0" * 64
    for entry in record.entries:
        head = hashlib.sha256((head + entry.text).encode()).hexdigest()
        assert entry.hash == head
    assert record.head == head


@pytest.mark.parametrize("event", [started(3), started(5), started(0), started(4, match="f" * 16)])
def test_append_refuses_event_out_of_order(record, event):
    before = list(record.entries)
    with pytest.raises(ValueError, match=rf"\b{event.seq}\b.*\b{event.match}\b.*\b3\b.*\b{MATCH}\b"):
        record.append(event)
    assert record.entries == before


@pytest.mark.parametrize(("seq", "expected"), [(0, [1, 2, 3]), (2, [3]), (3, []), (2**53 - 1, [])])
def test_since_returns_later_entries(record, seq, expected):
    assert [entry.seq for entry in record.since(seq)] == expected


def test_record_continues_stored_entries(record):
    stored = Record(MATCH, list(record.entries))
    assert stored.append(started(4)) == record.append(started(4))


def test_feedback_is_found_by_game_and_turn(record):
    places = [(1, 1), (1, 2), (2, 1)]
    entries = [record.append(feedback(4 + number, *place)) for number, place in enumerate(places)]
    assert [record.feedback(*place) for place in places] == entries
    with pytest.raises(LookupError):
        record.feedback(2, 2)


def test_match_over_carries_previous_hash(record):
    over = MatchOver(match=MATCH, seq=4, at=0, outcomes=(), guesses=(), elapsed_ms=0, head=record.head)
    assert json.loads(record.append(over).text)["head"] == record.entries[2].hash
