"""Facts become events of the record, and events become the same facts again."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.feedback import Feedback
from evilpegs_protocol.codec import decode_record_event
from evilpegs_protocol.commitment import commitment
from evilpegs_server.match.events import GameBegun, GameEnded, GameOpened, GuessAnswered, MatchEnded, Outcome
from evilpegs_server.match.match import Match
from evilpegs_server.record.encoding import (
    MatchKey,
    facts_from_events,
    feedback_event,
    game_over_event,
    game_started_event,
    match_over_event,
    match_started_event,
)
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.replies.codemaking import Reply
from support.events import fields
from support.match_states import durable_state


def write_down(match, facts):
    """Return the record of these facts."""
    event_log = EventLog(match.id)
    for fact in facts:
        seq = event_log.seq + 1
        match fact:
            case GameOpened():
                event_log.append(game_started_event(match, fact, seq, 7))
            case GuessAnswered():
                event_log.append(feedback_event(match, fact, Reply(fact.feedback), 0, seq, 7))
            case GameEnded():
                event_log.append(game_over_event(match, fact, "11", seq, 7))
            case MatchEnded():
                event_log.append(match_over_event(match, fact, event_log, 7))
    return event_log


def decode(match, event_log, nonces):
    events = [decode_record_event(entry.text) for entry in event_log.entries]
    return list(facts_from_events(match.ladder, events, nonces))


def without_earlier_details(fact):
    """Return a fact without the details that earlier events hold."""
    return (
        replace(fact, history=(), client_nonce=None, begun=True, times_ms=()) if isinstance(fact, GameEnded) else fact
    )


@settings(deadline=None)
@given(st.data())
def test_record_restores_facts_of_any_match(random_matches, data):
    driver = data.draw(random_matches)
    match = MatchKey("00112233445566aa", driver.match.ladder, b"s" * 32)
    nonces = {fact.game: fact.client_nonce for fact in driver.facts if isinstance(fact, GameBegun)}
    facts = decode(match, write_down(match, driver.facts), nonces)
    assert facts == [without_earlier_details(fact) for fact in driver.facts]
    assert durable_state(Match.from_facts(match.ladder, facts)) == durable_state(driver.match)


def test_match_started_has_documented_fields(match_key, client_program):
    started = match_started_event(match_key, "ann", client_program, 9)
    assert started == {
        "type": "match_started",
        "match": match_key.id,
        "seq": 1,
        "at": 9,
        "player": "ann",
        "client": {"name": "tester", "version": "1.0"},
        "ladder": "tiny",
        "rules": "2x3",
        "pegs": 2,
        "colors": 3,
        "symbols": "123",
        "repeats": True,
        "guess_limit": 4,
        "codemaker": "fixed",
        "tie": None,
        "clock": {"base_ms": 10_000, "increment_ms": 1_000},
        "games": 2,
        "rated": True,
    }
    assert decode(match_key, EventLog(match_key.id, [EventLog(match_key.id).append(started)]), {}) == []


def test_game_started_commits_to_nonce(match_key):
    event = game_started_event(match_key, GameOpened(2, 60_000), 5, 9)
    assert event["commitment"] == commitment(match_key.id, 2, "2x3", match_key.nonce(2))
    assert (event["game"], event["ready_by_ms"], event["seq"], event["at"]) == (2, 60_000, 5, 9)


def test_nonce_differs_per_game(match_key):
    nonces = {match_key.nonce(game) for game in range(1, 50)}
    others = {replace(match_key, id="f" * 16).nonce(1), replace(match_key, seed=b"t" * 32).nonce(1)}
    assert len(nonces | others) == 49 + 2


@given(
    numbers=st.tuples(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 10**6)),
    code=st.lists(st.integers(0, 33), min_size=1, max_size=16).map(tuple),
    feedback=st.builds(Feedback, st.integers(0, 16), st.integers(0, 16)),
    times=st.tuples(st.integers(0, 10**13), st.integers(0, 10**6), st.none() | st.integers(0, 10**6)),
    method=st.sampled_from([None, "exact", "greedy"]),
    stalled_ms=st.integers(0, 10**6),
)
def test_feedback_is_event_of_protocol(match_key, numbers, code, feedback, times, method, stalled_ms):
    (seq, game, turn), (at, took_ms, left_ms) = numbers, times
    fact = GuessAnswered(game, turn, code, feedback, took_ms, left_ms)
    event = feedback_event(match_key, fact, Reply(feedback, method=method), stalled_ms, seq, at)
    assert fields(decode_record_event(json.dumps(event))) == event


def test_practice_feedback_shows_parts(match_key):
    fact = GuessAnswered(1, 2, (0, 1), Feedback(1, 0), 30, None)
    reply = Reply(fact.feedback, 2, ((0, 1, 3), (1, 0, 2)))
    event = feedback_event(match_key, fact, reply, 12, 6, 9)
    assert {name: value for name, value in event.items() if name not in {"match", "at", "type", "seq"}} == {
        "game": 1,
        "turn": 2,
        "code": "12",
        "black": 1,
        "white": 0,
        "took_ms": 30,
        "left_ms": None,
        "stalled_ms": 12,
        "candidates": 2,
        "parts": ((0, 1, 3), (1, 0, 2)),
    }


def test_feedback_without_stall_omits_optional_keys(match_key):
    fact = GuessAnswered(1, 1, (0, 1), Feedback(1, 0), 30, 900)
    event = feedback_event(match_key, fact, Reply(fact.feedback), 0, 3, 9)
    assert not {"stalled_ms", "candidates", "parts"} & set(event)


@pytest.mark.parametrize("opened", [True, False])
def test_game_over_opens_committed_nonce(match_key, opened):
    fact = GameEnded(2, Outcome.RESIGNED, 0, 0, (), None, begun=False, opened=opened)
    event = game_over_event(match_key, fact, None, 3, 9)
    assert event["nonce"] == (match_key.nonce(2) if opened else None)


def test_match_key_repr_hides_seed(match_key):
    assert str(match_key.seed) not in repr(match_key)
    assert match_key.seed.hex() not in repr(match_key)
