"""The record of a match is a chain of hashed events to which events are only appended."""

import hashlib
import json

import pytest

from evilpegs_protocol.codec import canonical
from evilpegs_protocol.server_messages import FeedbackGiven, GameStarted, MatchOver
from evilpegs_server.record.event_log import EventLog
from support.events import fields

MATCH = "00112233445566aa"


def game_started(seq, match=MATCH):
    return fields(GameStarted(match=match, seq=seq, at=1_000 + seq, game=1, commitment="ab" * 32, ready_by_ms=60_000))


def feedback(seq, game, turn):
    return fields(
        FeedbackGiven(
            match=MATCH, seq=seq, at=0, game=game, turn=turn, code="1122", black=1, white=0, took_ms=5, left_ms=None
        )
    )


@pytest.fixture
def event_log():
    """Return a record of three events."""
    event_log = EventLog(MATCH)
    for seq in (1, 2, 3):
        event_log.append(game_started(seq))
    return event_log


def test_new_record_is_empty():
    event_log = EventLog(MATCH)
    assert (event_log.seq, event_log.head, event_log.entries) == (0, "0" * 64, [])


def test_entry_is_canonical_json(event_log):
    entry = event_log.append(game_started(4))
    assert (entry.seq, entry.at, entry.type) == (4, 1_004, "game_started")
    assert entry.text == canonical(json.loads(entry.text))
    assert json.loads(entry.text) == game_started(4)


def test_entry_hashes_form_chain(event_log):
    head = "0" * 64
    for entry in event_log.entries:
        head = hashlib.sha256((head + entry.text).encode()).hexdigest()
        assert entry.hash == head
    assert event_log.head == head


@pytest.mark.parametrize("event", [game_started(3), game_started(5), game_started(0), game_started(4, match="f" * 16)])
def test_append_refuses_event_out_of_order(event_log, event):
    before = list(event_log.entries)
    with pytest.raises(ValueError, match=rf"\b{event['seq']}\b.*\b{event['match']}\b.*\b3\b.*\b{MATCH}\b"):
        event_log.append(event)
    assert event_log.entries == before


@pytest.mark.parametrize(("seq", "expected"), [(0, [1, 2, 3]), (2, [3]), (3, []), (2**53 - 1, [])])
def test_since_returns_later_entries(event_log, seq, expected):
    assert [entry.seq for entry in event_log.since(seq)] == expected


def test_record_continues_stored_entries(event_log):
    stored = EventLog(MATCH, list(event_log.entries))
    assert stored.append(game_started(4)) == event_log.append(game_started(4))


def test_feedback_is_found_by_game_and_turn(event_log):
    keys = [(1, 1), (1, 2), (2, 1)]
    entries = [event_log.append(feedback(4 + number, *key)) for number, key in enumerate(keys)]
    assert [event_log.feedback(*key) for key in keys] == entries
    with pytest.raises(LookupError):
        event_log.feedback(2, 2)


def test_match_over_carries_previous_hash(event_log):
    over = MatchOver(match=MATCH, seq=4, at=0, outcomes=(), guesses=(), elapsed_ms=0, head=event_log.head)
    assert json.loads(event_log.append(fields(over)).text)["head"] == event_log.entries[2].hash
