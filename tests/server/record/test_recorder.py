"""The recorder turns events into entries of the record, and says what is stored beside them."""

import json
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.feedback import Feedback
from evilpegs_protocol.codec import decode_record_event
from evilpegs_protocol.commitment import commitment
from evilpegs_protocol.record import parse_bytes, signed_statement
from evilpegs_server.match.events import GameEnded, GameOpened, GuessAnswered, TurnOpened
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.record.recorder import (
    Recorder,
    RecordSigner,
    ShownEnd,
    feedback_fields,
    game_over_fields,
    game_started_fields,
    match_started_fields,
)
from evilpegs_server.replies.codemaking import Reply
from evilpegs_server.storage.log.writes import store_changes
from support.events import assert_is_record_event, fields

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OVER = {
    "type": "match_over",
    "match": "0123456789abcdef",
    "seq": 9,
    "at": 1,
    "outcomes": ["solved"],
    "guesses": [4],
    "elapsed_ms": 3,
    "head": "ab" * 32,
}


class RecordedMatch:
    """A match with its record, and in ``changes`` what its recorder made of the last call."""

    def __init__(self, driver, match_key, client_program, wall_ms=lambda: 777):
        self.driver, self.key = driver, replace(match_key, ladder=driver.match.ladder)
        self.event_log = EventLog(match_key.id)
        self.recorder = Recorder(self.key, self.event_log, wall_ms)
        self.changes = self.recorder.open(driver.facts, "ann", client_program)
        self.revealed = None

    def do(self, command, *args, reply=None, stalled_ms=0, secret="11"):
        events = self.driver.do(command, *args)
        self.revealed = self.recorder.first_shown_end(events)
        shown = self.revealed and ShownEnd(self.revealed, secret)
        self.changes = self.recorder.record(events, reply, stalled_ms, shown)
        return self.events

    def turn(self, text, feedback=Feedback(0, 0)):  # noqa: B008 - a constant
        self.driver.guess(text)
        return self.do("reply", feedback, reply=Reply(feedback))

    @property
    def events(self):
        return [json.loads(entry.text) for entry in self.changes.entries]

    @property
    def types(self):
        return [entry.type for entry in self.changes.entries]

    @property
    def orders(self):
        return sorted(write.fact for write in store_changes(self.key.id, self.changes))


@pytest.fixture
def record_match(new_match, match_key, client_program):
    """Begin a match and its record; the ladder is `tiny` with changes."""

    def begin(wall_ms=lambda: 777, **changes):
        return RecordedMatch(new_match(**changes), match_key, client_program, wall_ms)

    return begin


def test_record_opens_with_match_and_game(record_match):
    opened = record_match()
    assert opened.types == ["match_started", "game_started"]
    assert [event["seq"] for event in opened.events] == [1, 2]
    assert {event["at"] for event in opened.events} == {777}
    assert opened.orders == [3]


def test_ready_is_written_without_event(record_match):
    begun = record_match()
    assert begun.do("ready", 1, "mine") == []
    assert begun.orders == [2]
    assert begun.changes.turn == TurnOpened(1, 1, 10_000)


def test_turn_is_one_event_and_opens_next(record_match):
    played = record_match()
    played.do("ready", 1, None)
    [event] = played.turn("12")
    assert (event["type"], event["code"], event["seq"]) == ("feedback", "12", 3)
    assert played.changes.turn == TurnOpened(1, 2, 11_000)
    assert played.orders == [3]


def test_stall_is_recorded_with_turn(record_match):
    played = record_match()
    played.do("ready", 1, None)
    played.driver.guess("12")
    feedback = Feedback(0, 0)
    [event] = played.do("reply", feedback, reply=Reply(feedback), stalled_ms=80)
    assert event["stalled_ms"] == 80


def test_illegal_code_is_not_recorded(record_match):
    played = record_match()
    played.do("ready", 1, None)
    assert played.do("guess", 1, 1, "99") == []
    assert not played.changes.is_stored
    assert played.orders == []


def test_game_end_is_written_with_next_game(record_match):
    played = record_match()
    played.do("ready", 1, None)
    played.turn("12", Feedback(2, 0))
    assert played.types == ["feedback", "game_over", "game_started"]
    assert played.orders == [3]


def test_match_end_carries_previous_head(record_match):
    played = record_match(games=1)
    played.do("resign", None)
    assert played.types == ["game_over", "match_over"]
    assert played.events[-1]["head"] == played.changes.entries[0].hash
    assert played.orders == [3, 4]


@pytest.mark.parametrize("codemaker", [{}, {"codemaker": "evil", "tie": "largest/seeded"}])
def test_end_of_begun_game_shows_secret(record_match, codemaker):
    played = record_match(**codemaker)
    played.do("ready", 1, "mine")
    played.turn("12", Feedback(1, 0))
    assert played.revealed is None
    over = played.do("resign", 1, secret="13")[0]
    assert isinstance(played.revealed, GameEnded)
    assert (played.revealed.game, len(played.revealed.history), played.revealed.client_nonce) == (1, 1, "mine")
    assert (over["secret"], over["client_nonce"]) == ("13", "mine")


def test_unbegun_game_has_no_secret(record_match):
    unplayed = record_match()
    events = unplayed.do("resign", None)
    assert unplayed.revealed is None
    assert [event["secret"] for event in events[:2]] == [None, None]
    assert [event["nonce"] is None for event in events[:2]] == [False, True]


@pytest.mark.parametrize(("codemaker", "secret"), [("evil", None), ("fixed", "11")])
def test_void_game_shows_fixed_secret_only(record_match, codemaker, secret):
    played = record_match(codemaker=codemaker, tie=None if codemaker == "fixed" else "largest/seeded")
    played.do("ready", 1, None)
    played.driver.guess("12")
    over = played.do("fail")[0]
    assert (over["outcome"], over["secret"]) == ("void", secret)
    assert over["nonce"] is not None
    assert (played.revealed is None) is (secret is None)


@pytest.mark.parametrize("changes", [{}, {"clock": None}, {"rated": False}])
def test_entries_are_canonical_json(record_match, changes):
    played = record_match(**changes)
    played.do("ready", 1, "mine")
    played.turn("12")
    played.do("resign", None)
    assert len(played.event_log.entries) == 6
    for number, entry in enumerate(played.event_log.entries, 1):
        event = decode_record_event(entry.text)
        assert (event.seq, event.at, event.type) == (number, entry.at, entry.type)
        assert_is_record_event(entry.text)


def test_time_never_falls_within_record(record_match):
    """The control is a clock that rises."""
    for readings, expected in (
        ([1000, 400, 0, 999, 1001, 0, 5], [1000, 1000, 1000, 1001, 1001, 1001]),
        ([1, 2, 2, 3], [1, 2, 3]),
    ):
        clock = iter([*readings, *[readings[-1]] * 10])
        played = record_match(wall_ms=lambda clock=clock: next(clock), games=1)
        played.do("ready", 1, None)
        played.turn("12")
        played.turn("13")
        played.do("resign", None)
        times = [entry.at for entry in played.event_log.entries]
        assert times[: len(expected)] == expected
        assert [json.loads(entry.text)["at"] for entry in played.event_log.entries] == times == sorted(times)


def test_record_without_signer_is_unsigned(record_match):
    played = record_match(games=1)
    assert "signature" not in played.do("resign", None)[-1]


# Single events


def test_match_started_has_documented_fields(match_key, client_program):
    assert match_started_fields(match_key, "ann", client_program) == {
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


def test_game_started_commits_to_nonce(match_key):
    committed = commitment(match_key.id, 2, "2x3", match_key.nonce(2))
    expected = {"game": 2, "commitment": committed, "ready_by_ms": 60_000}
    assert game_started_fields(match_key, GameOpened(2)) == expected


def test_nonce_differs_per_game(match_key):
    nonces = {match_key.nonce(game) for game in range(1, 50)}
    others = {replace(match_key, id="f" * 16).nonce(1), replace(match_key, seed=b"t" * 32).nonce(1)}
    assert len(nonces | others) == 49 + 2


@given(
    numbers=st.tuples(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 10**6)),
    code=st.lists(st.integers(0, 33), min_size=1, max_size=16).map(tuple),
    feedback=st.integers(0, 16).flatmap(lambda black: st.builds(Feedback, st.just(black), st.integers(0, 16 - black))),
    times=st.tuples(st.integers(0, 10**13), st.integers(0, 10**6), st.none() | st.integers(0, 10**6)),
    method=st.sampled_from([None, "exact", "greedy"]),
    stalled_ms=st.integers(0, 10**6),
)
def test_feedback_is_event_of_protocol(match_key, numbers, code, feedback, times, method, stalled_ms):
    (seq, game, turn), (at, took_ms, left_ms) = numbers, times
    fact = GuessAnswered(game, turn, code, feedback, took_ms, left_ms)
    event = {"type": "feedback", "match": match_key.id, "seq": seq, "at": at}
    event |= feedback_fields(fact, Reply(feedback, method=method), stalled_ms)
    assert fields(decode_record_event(json.dumps(event))) == event


def test_practice_feedback_shows_parts():
    fact = GuessAnswered(1, 2, (0, 1), Feedback(1, 0), 30, None)
    reply = Reply(fact.feedback, 2, ((0, 1, 3), (1, 0, 2)))
    assert feedback_fields(fact, reply, 12) == {
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


def test_feedback_without_stall_omits_optional_keys():
    fact = GuessAnswered(1, 1, (0, 1), Feedback(1, 0), 30, 900)
    assert not {"stalled_ms", "candidates", "parts"} & set(feedback_fields(fact, Reply(fact.feedback), 0))


@pytest.mark.parametrize("opened", [True, False])
def test_game_over_opens_committed_nonce(match_key, opened):
    fact = GameEnded(2, "resigned", 0, 0, (), None, begun=False, opened=opened)
    assert game_over_fields(match_key, fact, None)["nonce"] == (match_key.nonce(2) if opened else None)


def test_match_key_repr_hides_seed(match_key):
    assert str(match_key.seed) not in repr(match_key)
    assert match_key.seed.hex() not in repr(match_key)


# Signatures


@given(at=st.integers(0, 2**53 - 1), guesses=st.lists(st.integers(0, 10**6), max_size=5))
def test_signature_holds_for_event_as_it_is_sent(at, guesses):
    over = OVER | {"at": at, "guesses": tuple(guesses)}
    sent = json.loads(json.dumps(over | {"signature": RecordSigner(KEY).sign(over)}))
    KEY.public_key().verify(parse_bytes(sent["signature"], 64), signed_statement(sent))


def test_same_event_gets_same_signature():
    first, second = (RecordSigner(KEY).sign(OVER) for _ in range(2))
    assert first == second


def test_repr_of_signer_hides_private_key():
    signer = RecordSigner(KEY)
    assert repr(signer) == f"RecordSigner({signer.public_key!r})"
