"""The recorder turns events into entries of the record and into rows to be written."""

import json
from dataclasses import replace

import pytest

from evilpegs_game.codes import code_at, format_code
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import decode_record_event, encode_event
from evilpegs_protocol.commitment import secret_index
from evilpegs_server.codemaking.replies import Codemaking, Reply
from evilpegs_server.match.events import TurnOpened
from evilpegs_server.matches.recorder import Recorder
from evilpegs_server.record.event_log import EventLog
from support.workspaces import new_workspace

CODEMAKING = Codemaking(new_workspace(), None)


class RecordedMatch:
    """A match with its record, and in ``batch`` what its recorder made of the last call."""

    def __init__(self, driver, match_key, client_program, codemaking, wall_ms=lambda: 777):
        self.driver, self.key = driver, replace(match_key, ladder=driver.match.ladder)
        self.event_log = EventLog(match_key.id)
        self.recorder = Recorder(self.key, self.event_log, codemaking, wall_ms)
        self.batch = self.recorder.open(driver.facts, "ann", client_program)

    def do(self, command, *args, reply=None, stalled_ms=0):
        self.batch = self.recorder.record(self.driver.do(command, *args), reply, stalled_ms)
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
        return sorted(write.order for write in self.batch.writes)


@pytest.fixture
def record_match(new_match, match_key, client_program):
    """Begin a match and its record; the ladder is `tiny` with changes."""

    def begin(codemaking=CODEMAKING, wall_ms=lambda: 777, **changes):
        return RecordedMatch(new_match(**changes), match_key, client_program, codemaking, wall_ms)

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
    assert played.batch.writes == []


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


@pytest.mark.parametrize("client_nonce", [None, "mine"])
def test_fixed_secret_follows_from_both_nonces(record_match, client_nonce):
    played = record_match()
    played.do("ready", 1, client_nonce)
    over = played.do("resign", 1)[0]
    index = secret_index(over["nonce"], client_nonce, over["match"], 1, 9)
    assert over["secret"] == format_code(code_at(index, Rules(2, 3)))
    assert over.get("client_nonce") == client_nonce


def test_evil_game_shows_witness(record_match):
    played = record_match(codemaker="evil", tie="largest/seeded")
    played.do("ready", 1, None)
    played.turn("12", Feedback(1, 0))
    secret = played.do("resign", 1)[0]["secret"]
    assert feedback("12", secret) == Feedback(1, 0)


def test_unbegun_game_has_no_secret(record_match):
    unplayed = record_match()
    events = unplayed.do("resign", None)
    assert [event["secret"] for event in events[:2]] == [None, None]
    assert [event["nonce"] is None for event in events[:2]] == [False, True]


class ExhaustedCodemaking(Codemaking):
    """Codemaking that cannot find any secret."""

    def secret(self, *_):
        raise MemoryError


def test_void_evil_game_has_no_witness(record_match):
    played = record_match(ExhaustedCodemaking(new_workspace(), None), codemaker="evil", tie="largest/seeded")
    played.do("ready", 1, None)
    played.driver.guess("12")
    over = played.do("fail")[0]
    assert (over["outcome"], over["secret"]) == ("void", None)
    assert over["nonce"] is not None


def test_draw_belongs_to_game_and_client_nonce(record_match):
    recorder = record_match().recorder
    all_secrets = [recorder.game_secrets(1, "a"), recorder.game_secrets(1, "b"), recorder.game_secrets(2, "b")]
    assert [(each.game, each.client_nonce) for each in all_secrets] == [(1, "a"), (1, "b"), (2, "b")]
    assert recorder.game_secrets(2, "b") is all_secrets[-1]


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
        assert encode_event(event) == entry.text


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
