"""The record: a chain that only grows."""

import hashlib
import json

import pytest

from evilpegs_protocol.canonical import canonical
from evilpegs_protocol.server_messages import FeedbackGiven, GameStarted, MatchOver
from evilpegs_server.record import Record

MATCH = "00112233445566aa"


def started(seq, match=MATCH, re=None):
    return GameStarted(match=match, seq=seq, at=1_000 + seq, game=1, commitment="ab" * 32, ready_by_ms=60_000, re=re)


def feedback(seq, game, turn):
    return FeedbackGiven(
        match=MATCH, seq=seq, at=0, game=game, turn=turn, code="1122", black=1, white=0, took_ms=5, left_ms=None
    )


@pytest.fixture
def record():
    """Three events."""
    record = Record(MATCH)
    for seq in (1, 2, 3):
        record.append(started(seq))
    return record


def test_it_begins_empty():
    record = Record(MATCH)
    assert (record.seq, record.head, record.entries) == (0, "0" * 64, [])


def test_an_entry_is_the_event_in_canonical_json(record):
    entry = record.append(started(4))
    assert (entry.seq, entry.at, entry.type) == (4, 1_004, "game_started")
    assert entry.text == canonical(json.loads(entry.text))
    assert GameStarted.model_validate_json(entry.text) == started(4)


def test_whom_an_event_answers_is_not_recorded():
    assert Record(MATCH).append(started(1, re="7")) == Record(MATCH).append(started(1))


def test_each_hash_is_over_the_one_before(record):
    head = "0" * 64
    for entry in record.entries:
        head = hashlib.sha256((head + entry.text).encode()).hexdigest()
        assert entry.hash == head
    assert record.head == head


@pytest.mark.parametrize("event", [started(3), started(5), started(0), started(4, match="f" * 16)])
def test_what_does_not_follow_is_refused_and_changes_nothing(record, event):
    before = list(record.entries)
    with pytest.raises(ValueError, match="does not follow event 3"):
        record.append(event)
    assert record.entries == before


@pytest.mark.parametrize(("seq", "expected"), [(0, [1, 2, 3]), (2, [3]), (3, []), (2**53 - 1, [])])
def test_the_events_after_a_number(record, seq, expected):
    assert [entry.seq for entry in record.since(seq)] == expected


def test_it_goes_on_from_stored_entries(record):
    stored = Record(MATCH, list(record.entries))
    assert stored.append(started(4)) == record.append(started(4))


def test_a_feedback_is_found_by_game_and_turn(record):
    places = [(1, 1), (1, 2), (2, 1)]
    entries = [record.append(feedback(4 + number, *place)) for number, place in enumerate(places)]
    assert [record.feedback(*place) for place in places] == entries
    with pytest.raises(LookupError):
        record.feedback(2, 2)


def test_the_last_event_carries_the_hash_before_it(record):
    over = MatchOver(match=MATCH, seq=4, at=0, outcomes=(), guesses=(), elapsed_ms=0, head=record.head)
    assert json.loads(record.append(over).text)["head"] == record.entries[2].hash
