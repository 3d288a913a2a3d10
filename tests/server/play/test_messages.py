"""The texts that a match sends to its player."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_protocol.codec import decode_event
from evilpegs_protocol.fields import Event
from evilpegs_server.match.events import TurnOpened
from evilpegs_server.play.messages import add_re, turn_text
from support.events import assert_is_message, encode_event

MESSAGES = Path(__file__).parents[2] / "protocol" / "server_messages.json"
EVENTS = [
    event for event in map(decode_event, map(json.dumps, json.loads(MESSAGES.read_text()))) if isinstance(event, Event)
]


@pytest.mark.parametrize("re", ["a", " ", "~" * 64, '"', "\\", '"}', '\\"', "{}[],:"])
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.type)
def test_answer_adds_re_to_event(event, re):
    text = add_re(encode_event(event), re)
    assert text.startswith(encode_event(event)[:-1])
    assert decode_event(text) == event.model_copy(update={"re": re})


def test_answer_without_id_is_event_itself():
    assert add_re('{"type":"turn"}', None) == '{"type":"turn"}'


@given(numbers=st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)), left_ms=st.none() | st.integers(0, 10**13))
def test_turn_is_message_of_protocol(numbers, left_ms):
    text = turn_text("00112233445566aa", TurnOpened(*numbers, left_ms))
    assert_is_message(text)
    assert json.loads(text)["left_ms"] == left_ms
