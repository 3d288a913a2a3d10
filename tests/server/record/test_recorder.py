"""The recorder turns events into entries of the record, and says what is stored beside them."""

import json
from dataclasses import replace

import pytest

from evilpegs_game.feedback import Feedback
from evilpegs_protocol.codec import decode_record_event
from evilpegs_server.match.events import GameEnded, TurnOpened
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.record.recorder import Recorder
from evilpegs_server.replies.codemaking import Reply
from evilpegs_server.storage.writes import store_batch
from support.events import assert_is_record_event


class RecordedMatch:
    """A match with its record, and in ``batch`` what its recorder made of the last call."""

    def __init__(self, driver, match_key, client_program, wall_ms=lambda: 777):
        self.driver, self.key = driver, replace(match_key, ladder=driver.match.ladder)
        self.event_log = EventLog(match_key.id)
        self.recorder = Recorder(self.key, self.event_log, wall_ms)
        self.batch = self.recorder.open(driver.facts, "ann", client_program)
        self.revealed = None

    def do(self, command, *args, reply=None, stalled_ms=0, secret="11"):
        events = self.driver.do(command, *args)
        self.revealed = self.recorder.shows_secret(events)
        self.batch = self.recorder.record(events, reply, stalled_ms, secret)
        return self.events

    def turn(self, text, feedback=Feedback(0, 0)):  # noqa: B008 - a constant
        self.driver.guess(text)
        return self.do("reply", feedback, reply=Reply(feedback))

    @property
    def events(self):
        return [json.loads(entry.text) for entry in self.batch.entries]

    @property
    def types(self):
        return [entry.type for entry in self.batch.entries]

    @property
    def orders(self):
        return sorted(write.order for write in store_batch(self.key.id, self.batch))


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
    assert opened.orders == [4]


def test_ready_is_written_without_event(record_match):
    begun = record_match()
    assert begun.do("ready", 1, "mine") == []
    assert begun.orders == [3]
    assert begun.batch.turn == TurnOpened(1, 1, 10_000)


def test_turn_is_one_event_and_opens_next(record_match):
    played = record_match()
    played.do("ready", 1, None)
    [event] = played.turn("12")
    assert (event["type"], event["code"], event["seq"]) == ("feedback", "12", 3)
    assert played.batch.turn == TurnOpened(1, 2, 11_000)
    assert played.orders == [4]


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
    assert not played.batch.is_stored
    assert played.orders == []


def test_game_end_is_written_with_next_game(record_match):
    played = record_match()
    played.do("ready", 1, None)
    played.turn("12", Feedback(2, 0))
    assert played.types == ["feedback", "game_over", "game_started"]
    assert played.orders == [3, 4]


def test_match_end_carries_previous_head(record_match):
    played = record_match(games=1)
    played.do("resign", None)
    assert played.types == ["game_over", "match_over"]
    assert played.events[-1]["head"] == played.batch.entries[0].hash
    assert played.orders == [3, 4, 5]


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
        ([1000, 400, 999, 1001, 0, 5], [1000, 1000, 1000, 1001, 1001, 1001]),
        ([1, 2, 3], [1, 2, 3]),
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
