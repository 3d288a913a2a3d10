"""Server messages as a client reads them."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_protocol.codec import CodecError, decode_event, encode
from evilpegs_protocol.fields import ServerMessage
from evilpegs_protocol.server_messages import (
    ClockInfo,
    Error,
    ErrorCode,
    FeedbackGiven,
    MatchOver,
    MatchStarted,
    RecordEvent,
    Reply,
    Unknown,
)

SAMPLES = json.loads(Path(__file__).with_name("server_messages.json").read_text())
MODELS = {model.model_fields["type"].default: model for model in (*RecordEvent.__args__, *Reply.__args__)}
NULL_IS_SAID = {("turn", "left_ms"), ("feedback", "left_ms"), ("game_over", "secret"), ("game_over", "nonce")}
NULL_IS_SAID |= {("match_started", "clock"), ("match_started", "tie")}


def each(messages):
    return pytest.mark.parametrize("message", messages, ids=lambda message: message["type"])


def sample(kind):
    return next(message for message in SAMPLES if message["type"] == kind)


def read(message):
    return decode_event(json.dumps(message))


def outcome_of(text):
    try:
        return decode_event(text)
    except CodecError as error:
        return error


def assert_read_or_refused(text):
    outcome = outcome_of(text)
    assert isinstance(outcome, ServerMessage) or outcome.code is ErrorCode.BAD_MESSAGE


def test_server_samples_cover_messages_and_optional_fields():
    assert {message["type"] for message in SAMPLES} == set(MODELS)
    for kind, model in MODELS.items():
        given = [set(message) for message in SAMPLES if message["type"] == kind]
        optional = {name for name, field in model.model_fields.items() if field.default is None} - {"re"}
        assert optional <= set().union(*given)
        assert not optional or any(not optional <= names for names in given)


@each(SAMPLES)
def test_event_round_trips(message):
    event = read(message)
    assert type(event) is MODELS[message["type"]]
    assert json.loads(encode(event)) == message
    assert decode_event(encode(event)) == event


@each(SAMPLES)
def test_event_ignores_unknown_fields(message):
    assert read(message | {"new": {"deep": [1.5, None]}}) == read(message)


@each(SAMPLES)
def test_event_keeps_null_only_where_meant(message):
    kind = message["type"]
    for name, field in MODELS[kind].model_fields.items():
        if name in message and (field.default is None or (kind, name) in NULL_IS_SAID):
            sent = json.loads(encode(read(message | {name: None})))
            assert (name in sent) == ((kind, name) in NULL_IS_SAID)


@pytest.mark.parametrize(("kind", "name"), sorted(NULL_IS_SAID))
def test_event_refuses_missing_nullable_field_by_name(kind, name):
    without = {key: value for key, value in sample(kind).items() if key != name}
    with pytest.raises(CodecError, match=rf"{kind}\.{name} "):
        read(without)


def test_welcome_keeps_null_clock_of_untimed_ladder():
    ladders = json.loads(encode(read(SAMPLES[1])))["ladders"]
    assert [ladder["clock"] for ladder in ladders] == [{"base_ms": 60000, "increment_ms": 1000}, None]
    assert [ladder["tie"] for ladder in ladders] == [None, "largest"]


def test_welcome_of_older_server_has_no_site():
    welcome = SAMPLES[0] | {"server": {"name": "evilpegs", "version": "0.1.0"}}
    assert read(welcome).server.site is None


def test_welcome_refuses_site_that_is_no_url():
    server = SAMPLES[1]["server"] | {"site": "javascript:alert(1)"}
    with pytest.raises(CodecError, match="site"):
        read(SAMPLES[1] | {"server": server})


@pytest.mark.parametrize("kind", ["applause", "", "Turn", "unknown", "known"])
def test_event_of_unknown_type_reads_as_unknown(kind):
    message = {"type": kind, "match": 5, "more": [1], "re": "a"}
    event = read(message)
    assert type(event) is Unknown
    assert json.loads(encode(event)) == message


@pytest.mark.parametrize("value", [True, 1.0, "1", None, -1])
@pytest.mark.parametrize("field", ["black", "white", "took_ms", "game", "turn", "seq", "at"])
def test_event_refuses_wrong_number_by_name(field, value):
    with pytest.raises(CodecError, match=rf"feedback\.{field} "):
        read(sample("feedback") | {field: value})


def test_event_names_wrong_list_member_by_place():
    with pytest.raises(CodecError, match=r"match_over\.outcomes\.1 "):
        read(sample("match_over") | {"outcomes": ["solved", "lost"]})


def test_error_event_reads_back_with_every_code():
    for code in ErrorCode:
        error = Error(code=code, message="m")
        assert json.loads(encode(error)) == {"type": "error", "code": code, "message": "m", "fatal": False}
        assert read(json.loads(encode(error))).code is code


def test_error_code_of_later_server_is_kept():
    """Version 1 of the protocol grows by error codes too."""
    error = read(sample("error") | {"code": "bad_luck"})
    assert (type(error), error.code) == (Error, "bad_luck")


@pytest.mark.parametrize("code", ["", "Bad", "bad luck", "bad\n", "x" * 41, 5, None])
def test_error_code_is_a_word(code):
    with pytest.raises(CodecError, match=r"error\.code"):
        read(sample("error") | {"code": code})


def test_event_built_by_server_reads_back():
    event = {"match": "0123456789abcdef", "seq": 3, "at": 0}
    sent = [
        FeedbackGiven(**event, game=1, turn=1, code="1", black=0, white=0, took_ms=0, left_ms=None),
        MatchOver(**event, outcomes=("void",), guesses=(0,), elapsed_ms=0, head="0" * 64),
    ]
    assert [decode_event(encode(message)) for message in sent] == sent


def test_event_values_compare_equal():
    assert read(sample("match_started")) == read(sample("match_started"))
    assert isinstance(read(sample("match_started")), MatchStarted)
    assert len({read(sample("match_over")), read(sample("match_over"))}) == 1


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "null", "1", '"turn"', "[]", "{}", "{", '{"type":}', '{"type":null}', '{"type":1}',
        '{"type":[]}', '{"type":"pong"}', '{"type":"pong","c":NaN}', '{"type":"pong","c":1e999}',
        '{"type":"pong","c":1}}', '{"type":"pong","c":' + "9" * 5000 + "}", '{"type":"\\ud800"}',
        "[" * 100_000, '{"a":' * 100_000, "\ud800", "\ufeff{}", "\0",
    ],
)  # fmt: skip
def test_decode_event_refuses_garbage(text):
    assert outcome_of(text).code is ErrorCode.BAD_MESSAGE


@settings(deadline=None)
@given(st.text(st.characters()))
def test_event_from_any_text_is_read_or_refused(text):
    assert_read_or_refused(text)
    assert_read_or_refused(json.dumps({"type": text}))


@settings(deadline=None)
@given(st.sampled_from(SAMPLES), st.data())
def test_changed_event_is_read_or_refused(message, data):
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
    values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5)
    field = data.draw(st.sampled_from(sorted(message)))
    assert_read_or_refused(json.dumps(message | {field: data.draw(values)}))
    text = json.dumps(message)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    assert_read_or_refused(text[:start] + data.draw(st.text(st.characters(), max_size=8)) + text[end:])


@pytest.mark.parametrize(
    ("text", "base_ms", "increment_ms"),
    [("60+1", 60_000, 1_000), ("5+0", 5_000, 0), ("0+1", 0, 1_000), ("99999+9999", 99_999_000, 9_999_000)],
)
def test_clock_is_parsed_from_seconds(text, base_ms, increment_ms):
    assert ClockInfo.parse(text) == ClockInfo(base_ms=base_ms, increment_ms=increment_ms)
    assert str(ClockInfo.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "60", "60+", "+1", "-1+0", "60+1s", " 60+1", "60+1\n", "1.5+0", "60+1+1", "100000+0", "1+10000", "６+1"],
)
def test_clock_refuses_malformed_text(text):
    with pytest.raises(ValueError, match=re.escape(repr(text)) + r".*60\+1"):
        ClockInfo.parse(text)


def test_clock_refusal_shortens_long_text():
    with pytest.raises(ValueError, match="9" * 20) as caught:
        ClockInfo.parse("9" * 10_000)
    assert len(str(caught.value)) < 120
