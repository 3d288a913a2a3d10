"""The scribe: what happened as entries of the record and as rows to be written."""

import json
from dataclasses import replace

import pytest

from evilpegs_game.codes import code_at, format_code
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import decode_record_event, encode_event
from evilpegs_protocol.commitment import secret_index
from evilpegs_server.codemaking import Answer, Codemaking
from evilpegs_server.events import CodeRefused, TurnOpened
from evilpegs_server.record import Record
from evilpegs_server.scribe import Scribe
from support.reckoners import reckoner

CODEMAKING = Codemaking(reckoner(), None)


class Writing:
    """A match, its scribe, and what he took down last."""

    def __init__(self, driver, identity, client_program):
        self.driver, self.identity = driver, replace(identity, ladder=driver.match.ladder)
        self.record = Record(identity.id)
        self.scribe = Scribe(self.identity, self.record, CODEMAKING, lambda: 777)
        self.minutes = self.scribe.open(driver.facts, "ann", client_program)

    def do(self, command, *args, answer=None, stalled_ms=0):
        self.minutes = self.scribe.take_down(self.driver.do(command, *args), answer, stalled_ms)
        return self.events

    def turn(self, text, given=Feedback(0, 0)):  # noqa: B008 - a constant
        self.driver.guess(text)
        return self.do("reply", given, answer=Answer(given))

    @property
    def events(self):
        return [json.loads(entry.text) for entry in self.minutes.entries]

    @property
    def types(self):
        return [entry.type for entry in self.minutes.entries]

    @property
    def orders(self):
        return sorted(write.order for write in self.minutes.writes)


@pytest.fixture
def writing(new_match, identity, client_program):
    """Begin to write the record of a match on a ladder like `tiny`."""
    return lambda **changes: Writing(new_match(**changes), identity, client_program)


def test_a_record_opens_with_the_match_and_its_first_game(writing):
    opened = writing()
    assert opened.types == ["match_started", "game_started"]
    assert [event["seq"] for event in opened.events] == [1, 2]
    assert {event["at"] for event in opened.events} == {777}
    assert opened.orders == [4]


def test_ready_is_written_but_is_no_event(writing):
    begun = writing()
    assert begun.do("ready", 1, "mine") == []
    assert begun.orders == [3]
    assert begun.minutes.turn == TurnOpened(1, 1, 10_000)


def test_a_turn_is_one_event_and_leaves_the_next_one_open(writing):
    played = writing()
    played.do("ready", 1, None)
    [event] = played.turn("12")
    assert (event["type"], event["code"], event["seq"]) == ("feedback", "12", 3)
    assert played.minutes.turn == TurnOpened(1, 2, 11_000)
    assert played.orders == [4]


def test_a_stall_is_noted_with_its_turn(writing):
    played = writing()
    played.do("ready", 1, None)
    played.driver.guess("12")
    given = Feedback(0, 0)
    [event] = played.do("reply", given, answer=Answer(given), stalled_ms=80)
    assert event["stalled_ms"] == 80


def test_an_illegal_code_is_not_recorded(writing):
    played = writing()
    played.do("ready", 1, None)
    assert played.do("guess", 1, 1, "99") == []
    assert played.minutes.writes == []
    assert not any(isinstance(event, CodeRefused) for event in played.minutes.entries)


def test_a_game_that_ends_is_written_together_with_the_next_and_the_projection(writing):
    played = writing()
    played.do("ready", 1, None)
    played.turn("12", Feedback(2, 0))
    assert played.types == ["feedback", "game_over", "game_started"]
    assert played.orders == [3, 4]


def test_the_end_of_the_match_carries_the_head_before_it(writing):
    played = writing(games=1)
    played.do("resign", None)
    assert played.types == ["game_over", "match_over"]
    assert played.events[-1]["head"] == played.minutes.entries[0].hash
    assert played.orders == [3, 4, 5]


@pytest.mark.parametrize("client_nonce", [None, "mine"])
def test_the_secret_of_a_fixed_game_follows_from_both_nonces(writing, client_nonce):
    played = writing()
    played.do("ready", 1, client_nonce)
    over = played.do("resign", 1)[0]
    index = secret_index(over["nonce"], client_nonce, over["match"], 1, 9)
    assert over["secret"] == format_code(code_at(index, Rules(2, 3)))
    assert over.get("client_nonce") == client_nonce


def test_against_evil_a_code_that_fits_is_shown(writing):
    played = writing(codemaker="evil", tie="largest/seeded")
    played.do("ready", 1, None)
    played.turn("12", Feedback(1, 0))
    secret = played.do("resign", 1)[0]["secret"]
    assert feedback("12", secret) == Feedback(1, 0)


def test_a_game_that_never_began_has_no_secret(writing):
    unplayed = writing()
    events = unplayed.do("resign", None)
    assert [event["secret"] for event in events[:2]] == [None, None]
    assert [event["nonce"] is None for event in events[:2]] == [False, True]


def exhausted(*_):
    raise MemoryError


def test_a_game_that_evil_could_not_answer_ends_without_a_witness(writing, monkeypatch):
    played = writing(codemaker="evil", tie="largest/seeded")
    played.do("ready", 1, None)
    monkeypatch.setattr(CODEMAKING, "secret", exhausted)
    played.driver.guess("12")
    over = played.do("fail")[0]
    assert (over["outcome"], over["secret"]) == ("void", None)
    assert over["nonce"] is not None


def test_a_draw_belongs_to_a_game_and_its_client_nonce(writing):
    scribe = writing().scribe
    draws = [scribe.draw(1, "a"), scribe.draw(1, "b"), scribe.draw(2, "b")]
    assert [(draw.game, draw.client_nonce) for draw in draws] == [(1, "a"), (1, "b"), (2, "b")]
    assert scribe.draw(2, "b") is draws[-1]


@pytest.mark.parametrize("changes", [{}, {"clock": None}, {"rated": False}])
def test_every_entry_is_the_canonical_json_of_its_message(writing, changes):
    played = writing(**changes)
    played.do("ready", 1, "mine")
    played.turn("12")
    played.do("resign", None)
    assert len(played.record.entries) == 6
    for number, entry in enumerate(played.record.entries, 1):
        event = decode_record_event(entry.text)
        assert (event.seq, event.at, event.type) == (number, entry.at, entry.type)
        assert encode_event(event) == entry.text
