"""Errors about fields say in plain words what is wrong, and repeat nothing."""

import json

import pytest

from evilpegs_protocol.codec import CodecError, decode_event, decode_request

MATCH = "0123456789abcdef"
CLIENT = {"name": "tester", "version": "1.0"}


def refusal(message, decode=decode_request):
    with pytest.raises(CodecError) as caught:
        decode(json.dumps(message))
    return str(caught.value)


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ({"type": "hello"}, ["hello.client", "missing"]),
        ({"type": "ping", "c": 1, "cheat": 1}, ["ping.cheat", "not a field"]),
        ({"type": "play", "ladder": 5}, ["play.ladder", "string", "not an integer"]),
        ({"type": "play", "ladder": None}, ["play.ladder", "string", "not null"]),
        ({"type": "play", "ladder": True}, ["play.ladder", "string", "not true or false"]),
        ({"type": "hello", "client": "x"}, ["hello.client", "object", "not a string"]),
        ({"type": "hello", "client": [1]}, ["hello.client", "object", "not an array"]),
        ({"type": "ready", "match": MATCH, "game": {}}, ["ready.game", "integer", "not an object"]),
        ({"type": "ready", "match": MATCH, "game": 1.5}, ["ready.game", "integer", "fraction"]),
        ({"type": "ready", "match": MATCH, "game": 0}, ["ready.game", "at least 1"]),
        ({"type": "ready", "match": MATCH, "game": 10**6 + 1}, ["ready.game", "at most 1000000"]),
        ({"type": "play", "ladder": "a b"}, ["play.ladder", "matches ^[a-z]"]),
        ({"type": "hello", "client": CLIENT, "name": "ann", "kind": "dog"}, ["hello.kind", "'bot' or 'human'"]),
        ({"type": "hello", "client": CLIENT | {"name": "\ud800"}}, ["hello.client.name", "surrogates"]),
    ],
)
def test_refusal_says_what_a_field_must_be(message, facts):
    text = refusal(message)
    assert [fact for fact in facts if fact not in text] == []
    assert "Input" not in text  # the word with which pydantic's own texts begin


def test_path_in_an_event_begins_with_its_type():
    assert refusal({"type": "match_over"}, decode_event).startswith("match_over.match ")


def test_what_is_no_object_is_no_message():
    assert "must be an object, not an array" in refusal([1], decode_event)
