"""Client messages: the values they take, the values they refuse, and the field that a refusal names."""

import json
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from evilpegs_protocol.client_messages import ClientRequest, Guess, Hello
from evilpegs_protocol.codec import CodecError, decode_request, encode
from evilpegs_protocol.server_messages import ErrorCode

SAMPLES = json.loads(Path(__file__).with_name("client_messages.json").read_text())
MODELS = {model.model_fields["type"].default: model for model in get_args(get_args(ClientRequest)[0])}

MATCH = "0123456789abcdef"
CLIENT = {"name": "tester", "version": "1.0"}
PLAY = {"type": "play", "ladder": "classic"}
READY = {"type": "ready", "match": MATCH, "game": 1}
GUESS = {"type": "guess", "match": MATCH, "game": 1, "turn": 1, "code": "1122"}
HINT = {"type": "hint", "match": MATCH}
RESIGN = {"type": "resign", "match": MATCH}
RESUME = {"type": "resume", "match": MATCH, "seq": 0}
HELLO = {"type": "hello", "client": CLIENT}
PING = {"type": "ping", "c": 1}


def accepts(message):
    return json.loads(encode(decode_request(json.dumps(message)))) == message


def refusal(message):
    with pytest.raises(CodecError) as caught:
        decode_request(json.dumps(message))
    return caught.value


def assert_refused_at(message, where):
    error = refusal(message)
    assert error.code is ErrorCode.BAD_MESSAGE
    assert str(error).startswith((f"{where} ", f"{where}: "))


def problem_of(error):
    """Return the type and the place of the only problem that pydantic found."""
    (problem,) = error.errors()
    return problem["type"], problem["loc"]


def integer_fields():
    return [(message, field) for message in SAMPLES for field in message if type(message[field]) is int]


def text_fields():
    return [
        (message, field) for message in SAMPLES for field in message if field != "type" and type(message[field]) is str
    ]


def test_client_samples_cover_every_message():
    assert {message["type"] for message in SAMPLES} == set(MODELS)


@pytest.mark.parametrize("message", SAMPLES, ids=lambda message: message["type"])
def test_request_round_trips(message):
    request = decode_request(json.dumps(message))
    assert type(request) is MODELS[message["type"]]
    assert json.loads(encode(request)) == message
    assert decode_request(encode(request)) == request


@pytest.mark.parametrize("message", SAMPLES, ids=lambda message: message["type"])
def test_request_refuses_unknown_field_by_name(message):
    assert_refused_at(message | {"colour_2": 1}, f"{message['type']}.colour_2")


def test_hello_refuses_unknown_client_field_by_name():
    assert_refused_at(HELLO | {"client": CLIENT | {"author": "x"}}, "hello.client.author")


@pytest.mark.parametrize("message", SAMPLES, ids=lambda message: message["type"])
def test_request_refuses_missing_field_by_name(message):
    for name, field in MODELS[message["type"]].model_fields.items():
        if field.is_required():
            rest = {key: value for key, value in message.items() if key != name}
            assert_refused_at(rest, f"{message['type']}.{name}")


@pytest.mark.parametrize("kind", ["guesses", "Guess", "welcome", "", " ping", None, 1, True, 1.5, [], {}])
def test_request_of_unknown_type_has_own_code(kind):
    assert refusal(GUESS | {"type": kind}).code is ErrorCode.UNKNOWN_TYPE


@pytest.mark.parametrize("kind", ["watch", "unwatch", "list", "standings"])
def test_request_of_former_type_has_moved(kind):
    error = refusal({"type": kind, "id": "a", "ladder": "classic"})
    assert (error.code, error.re) == (ErrorCode.MOVED, "a")
    assert kind in str(error)


@pytest.mark.parametrize("value", [{}, {"id": "a"}, [], [PING], 1, "ping", None, True])
def test_request_without_type_is_bad_message(value):
    error = refusal(value)
    assert error.code is ErrorCode.BAD_MESSAGE
    assert "type" in str(error)
    assert " field " in str(error)


@pytest.mark.parametrize("value", [True, False, 1.0, 1e3, "1", [1], {"n": 1}])
@pytest.mark.parametrize(("message", "field"), integer_fields())
def test_request_refuses_other_types_for_integers(message, field, value):
    assert_refused_at(message | {field: value}, f"{message['type']}.{field}")


@pytest.mark.parametrize("value", [1, True, 1122.0, ["1", "1"], {"text": "1122"}])
@pytest.mark.parametrize(("message", "field"), text_fields())
def test_request_refuses_other_types_for_text(message, field, value):
    assert_refused_at(message | {field: value}, f"{message['type']}.{field}")


@pytest.mark.parametrize(
    ("message", "field", "within", "beyond"),
    [
        (GUESS, "game", [1, 10**6], [-1, 0, 10**6 + 1, 10**30]),
        (GUESS, "turn", [1, 10**6], [-1, 0, 10**6 + 1, 10**30]),
        (READY, "game", [1, 10**6], [0, 10**6 + 1]),
        (RESIGN, "game", [1, 10**6], [0, 10**6 + 1]),
        (RESUME, "seq", [0, 2**53 - 1], [-1, 2**53]),
        (PING, "c", [0, 2**53 - 1], [-1, 2**53]),
        (HINT, "match", ["f" * 16], ["", "f" * 15, "f" * 17, "F" * 16, "g" * 16, MATCH + "\n"]),
        (PLAY, "ladder", ["a", "a" * 40, "a-1"], ["", "a" * 41, "1a", "-a", "A", "a_b", "a\n"]),
        (GUESS, "code", ["", "x" * 64, "\u00e9" * 64, "\n"], ["x" * 65]),
        (READY, "nonce", ["a", "-", "_" * 64], ["", "a" * 65, "a b", "\u00e9", "a\n"]),
        (HELLO, "token", ["0" * 64], ["", "0" * 63, "0" * 65, "A" * 64, "0" * 64 + "\n"]),
        (PING, "id", [" ", "~" * 64, '"\\'], ["", "~" * 65, "\u00e9", "a\n", "\t", "\x7f"]),
        (HELLO | {"kind": "bot"}, "name", ["", "n" * 64, "\u00e9"], ["n" * 65]),
        (HELLO | {"name": "anna"}, "kind", ["bot", "human"], ["guest", "Bot", ""]),
    ],
)
def test_request_bounds_hold_exactly(message, field, within, beyond):
    assert all(accepts(message | {field: value}) for value in within)
    for value in beyond:
        assert_refused_at(message | {field: value}, f"{message['type']}.{field}")


@pytest.mark.parametrize("field", ["name", "version"])
def test_hello_takes_printable_ascii_client_only(field):
    for value in (" ", "~" * 64):
        assert accepts(HELLO | {"client": CLIENT | {field: value}})
    for value in ("", "~" * 65, "\u00e9", "a\n", None, 1):
        assert_refused_at(HELLO | {"client": CLIENT | {field: value}}, f"hello.client.{field}")


@pytest.mark.parametrize(
    "identity",
    [
        {"token": "0" * 64, "name": "anna", "kind": "bot"},
        {"token": "0" * 64, "name": "anna"},
        {"token": "0" * 64, "kind": "bot"},
        {"name": "anna"},
        {"kind": "human"},
    ],
)
def test_hello_refuses_mixed_or_partial_identity(identity):
    assert_refused_at(HELLO | identity, "hello")


def test_hello_reads_null_as_left_out():
    identity = {"id": None, "token": None, "name": None, "kind": None}
    assert decode_request(json.dumps(HELLO | identity)) == decode_request(json.dumps(HELLO))


def test_guess_message_is_frozen():
    guess = Guess(match=MATCH, game=1, turn=1, code="1122")
    with pytest.raises(ValidationError) as caught:
        guess.code = "3344"
    assert problem_of(caught.value) == ("frozen_instance", ("code",))


def test_request_models_validate_when_built():
    with pytest.raises(ValidationError) as caught:
        Guess(match=MATCH, game="1", turn=1, code="1122")
    assert problem_of(caught.value) == ("int_type", ("game",))
    with pytest.raises(ValidationError) as caught:
        Hello(client=CLIENT, name="anna")
    assert problem_of(caught.value) == ("value_error", ())
