"""The codec: its limits, its refusals, and the encoded events of a record."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_protocol.client_messages import Ping
from evilpegs_protocol.codec import (
    CodecError,
    decode_event,
    decode_record_event,
    decode_request,
    is_message_id,
)
from evilpegs_protocol.constants import FRAME_BYTES, NESTING
from evilpegs_protocol.fields import ClientMessage, Event
from evilpegs_protocol.server_messages import ErrorCode

REQUESTS = json.loads(Path(__file__).with_name("client_messages.json").read_text())
EVENTS = [
    message
    for message in json.loads(Path(__file__).with_name("server_messages.json").read_text())
    if isinstance(decode_event(json.dumps(message)), Event)
]
CODEC_CODES = {ErrorCode.BAD_JSON, ErrorCode.BAD_MESSAGE, ErrorCode.UNKNOWN_TYPE, ErrorCode.TOO_BIG}
PING = '{"type":"ping","c":1}'


def refused(text):
    with pytest.raises(CodecError) as caught:
        decode_request(text)
    return caught.value


def code_of(text):
    return refused(text).code


def ping_with(value):
    """Return a ping with a value in an unknown field; a ping that is read in full is refused for that field."""
    return f'{{"type":"ping","c":1,"x":{value}}}'


def nested(depth, brackets="[]"):
    """Return a ping that nests ``depth`` deep, itself included."""
    opening, closing = {"[]": ("[", "]"), "{}": ('{"a":', "}")}[brackets]
    return ping_with(opening * (depth - 1) + "1" + closing * (depth - 1))


def guess_of(code):
    return f'{{"type":"guess","match":"0123456789abcdef","game":1,"turn":1,"code":"{code}"}}'


# Size


def test_request_has_at_most_4096_bytes():
    assert FRAME_BYTES == 4096
    assert decode_request(PING + " " * (4096 - len(PING))) == Ping(c=1)
    assert code_of(PING + " " * (4097 - len(PING))) is ErrorCode.TOO_BIG


@pytest.mark.parametrize("character", ["\u00e9", "\u20ac", "\U0001f3b2"])
def test_request_size_counts_bytes_not_characters(character):
    free = 4096 - len(ping_with('""'))
    text, rest = divmod(free, len(character.encode()))
    full = ping_with('"' + character * text + "x" * rest + '"')
    assert len(full.encode()) == 4096
    assert code_of(full) is ErrorCode.BAD_MESSAGE
    assert code_of(full + " ") is ErrorCode.TOO_BIG


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "1" * 100_000, '"' * 100_000])
def test_huge_request_is_too_big_whatever_it_holds(text):
    assert code_of(text) is ErrorCode.TOO_BIG


# Nesting


@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_request_nests_at_most_8_deep(brackets):
    assert NESTING == 8
    assert code_of(nested(8, brackets)) is ErrorCode.BAD_MESSAGE
    assert code_of(nested(9, brackets)) is ErrorCode.BAD_JSON
    assert "8" in str(refused(nested(9, brackets)))


@pytest.mark.parametrize("code", ["[" * 20, "{[" * 20, '[\\"[' * 10, '\\\\\\"' + "[" * 20, "]" * 20, "[]" * 20])
def test_nesting_ignores_brackets_inside_text(code):
    assert decode_request(guess_of(code)).code == json.loads(f'"{code}"')


def test_nesting_ignores_brackets_side_by_side():
    assert code_of(ping_with("[" + ",".join(["[]"] * 100) + "]")) is ErrorCode.BAD_MESSAGE


def test_nesting_counts_brackets_after_trailing_backslash():
    text = ping_with('["\\\\",' + "[" * 8 + "]" * 8 + "]")
    assert json.loads(text)
    assert code_of(text) is ErrorCode.BAD_JSON
    assert "8" in str(refused(text))


@pytest.mark.parametrize("text", ["[" * 4096, '{"a":' * 819, "[" * 2048 + "]" * 2048, "]" * 4096, '"' + "[" * 4095])
def test_deep_brackets_are_bad_json(text):
    assert code_of(text) is ErrorCode.BAD_JSON


@pytest.mark.parametrize("text", ["[" * 9 + '"' + '\\"' * 2040, "[" * 9 + '"' * 4087])
def test_brackets_before_unclosed_string_are_nested(text):
    assert code_of(text) is ErrorCode.BAD_JSON
    assert str(refused(text)) == str(refused("[" * 9))


def test_unclosed_string_is_passed_over_once():
    """A search that starts again at each quote in it takes 50 ms, and finds the brackets in it nested too deep."""
    text = '"' + '\\"' * 2040 + "[" * 9
    assert code_of(text) is ErrorCode.BAD_JSON
    assert str(refused(text)) != str(refused("[" * 9))


# JSON


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "\n", "nil", "{", "}", '{"type"}', '{"type":"ping","c":1', '{"type":"ping","c":1,}',
        PING + PING, PING + "x", "\ufeff" + PING, PING + "\ufeff", "'ping'", "{type:1}", '{"type":"\\x"}',
        '{"type":"ping","c":01}', '{"type":"ping","c":+1}', '{"type":"ping","c":0x1}',
        '{"type":"pi\nng","c":1}', "\ud800", PING + "// why", ping_with(".5"), ping_with("1_000"),
        ping_with('"\\ud80"'), ping_with('"\\\n' + "[" * 9 + '"'),
    ],
)  # fmt: skip
def test_decode_request_refuses_other_than_json(text):
    assert code_of(text) is ErrorCode.BAD_JSON


@pytest.mark.parametrize("text", [" " + PING, PING + "\r\n", '\t{ "c" : 1 ,\n"type":"\\u0070ing" }'])
def test_decode_request_takes_white_space_and_escapes(text):
    assert decode_request(text) == Ping(c=1)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_decode_request_refuses_nan_and_infinity(constant):
    for text in (constant, f"[{constant}]", ping_with(constant), f'{{"type":"ping","c":{constant}}}'):
        assert code_of(text) is ErrorCode.BAD_JSON


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1e5", "1.0", "-0.0", "1E400", "1e-999", "9" * 4000])
def test_decode_request_names_field_of_wrong_number(number):
    error = refused(f'{{"type":"ping","c":{number}}}')
    assert error.code is ErrorCode.BAD_MESSAGE
    assert str(error).startswith("ping.c must be ")


@pytest.mark.parametrize("digits", [4301, 5000, 100_000])
def test_request_with_huge_integer_is_too_big(digits):
    assert code_of(f'{{"type":"ping","c":{"9" * digits}}}') is ErrorCode.TOO_BIG


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"ping","c":1,"c":1}',
        '{"type":"ping","type":"ping","c":1}',
        '{"type":"ping","c":1,"\\u0063":1}',
        '{"type":"hello","client":{"name":"a","name":"a","version":"1"}}',
        ping_with('[{"a":{"b":1,"b":2}}]'),
        '{"":1,"":1}',
    ],
)
def test_decode_request_refuses_repeated_keys(text):
    assert json.loads(text)  # only the repeated key is wrong
    assert code_of(text) is ErrorCode.BAD_JSON


@pytest.mark.parametrize("text", ["\0", PING + "\0", guess_of("1\0"), guess_of("1\\u0000"), guess_of("\\\\\\u0000")])
def test_decode_request_refuses_nul_raw_and_escaped(text):
    assert code_of(text) is ErrorCode.BAD_JSON
    assert "NUL" in str(refused(text))


def test_decode_request_takes_escaped_backslash_before_u0000():
    assert decode_request(guess_of("\\\\u0000")).code == r"\u0000"


@pytest.mark.parametrize(
    "text",
    [
        guess_of("\\ud800"),
        guess_of("\ud800"),
        '{"type":"ping","c":1,"\\udfff":1}',
        '{"type":"ping","c":1,"id":"\\ud800"}',
        '{"type":"hello","client":"\\ud800"}',
    ],
)
def test_lone_surrogate_in_text_is_bad_message(text):
    assert code_of(text) is ErrorCode.BAD_MESSAGE


def test_lone_surrogate_as_type_is_unknown_type():
    assert code_of('{"type":"\\ud800"}') is ErrorCode.UNKNOWN_TYPE


def test_surrogate_pair_is_one_character():
    assert decode_request(guess_of("\\ud83c\\udfb2")).code == "\U0001f3b2"


# Refusals


@pytest.mark.parametrize(
    ("key", "named"),
    [
        ("colour", "colour"),
        ("x2", "x2"),
        ("a" * 32, "a" * 32),
        ("a" * 33, "(unprintable)"),
        ("2x", "(unprintable)"),
        ("", "(unprintable)"),
        ("a.b", "(unprintable)"),
        ("<b>", "(unprintable)"),
        ("a\n", "(unprintable)"),
        ("f\u00fcr", "(unprintable)"),
    ],
)
def test_refusal_quotes_only_plain_field_names(key, named):
    text = json.dumps({"type": "ping", "c": 1, key: 1})
    assert refused(text).code is ErrorCode.BAD_MESSAGE
    assert str(refused(text)).startswith(f"ping.{named} is ")
    assert key == named or not key or key not in str(refused(text))


@pytest.mark.parametrize("given", [" ", "a", "~" * 64, '"\\'])
def test_refusal_carries_id_of_request(given):
    for wrong in ({"type": "ping"}, {"type": "pong"}, {}):
        assert refused(json.dumps(wrong | {"id": given})).re == given


@pytest.mark.parametrize("given", ["", "~" * 65, "a\n", "\u00e9", "\x7f", "\ud800", None, 1, True, ["a"], {"a": "b"}])
def test_refusal_drops_id_that_is_not_allowed(given):
    for wrong in ({"type": "ping"}, {"type": "pong"}, {}):
        assert refused(json.dumps(wrong | {"id": given})).re is None


def test_refusal_of_unread_text_has_no_id():
    for text in (
        '{"id":"a",',
        '{"id":"a","id":"a"}',
        '{"id":"a","c":NaN}',
        '["id"]',
        '{"id":"a"}' + " " * 5000,
    ):
        assert refused(text).re is None


@settings(deadline=None)
@given(st.text(st.characters(), max_size=80))
def test_re_allowed_takes_64_printable_ascii(text):
    assert is_message_id(text) == bool(re.fullmatch(r"[ -~]{1,64}", text))


# Arbitrary input. Every text that is sent carries MARK, which no error may repeat.

MARK = "~7~"
NUMBER = 717171
TEXT = st.text(st.characters(), max_size=20)
MARKED = st.builds("{}{}{}".format, TEXT, st.just(MARK), TEXT)
KEYS = MARKED | st.sampled_from(["type", "id", "client", "match", "token", "c", "colour"])
SCALARS = st.sampled_from([None, True, NUMBER, NUMBER + 0.5, 10**4000]) | st.integers() | st.floats() | MARKED
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)


def outcome_of(text):
    try:
        return decode_request(text)
    except CodecError as error:
        return error


def assert_read_or_refused(text):
    outcome = outcome_of(text)
    if not isinstance(outcome, CodecError):
        assert isinstance(outcome, ClientMessage)
        return
    said = str(outcome)
    assert outcome.code in CODEC_CODES
    assert MARK not in said
    assert str(NUMBER) not in said
    assert said.isascii()
    assert said.isprintable()
    assert len(said) < 200
    assert outcome.re is None or (is_message_id(outcome.re) and outcome.re == json.loads(text)["id"])


@settings(deadline=None)
@given(TEXT | MARKED)
def test_request_from_any_text_is_read_or_refused(text):
    assert_read_or_refused(text)


@settings(deadline=None)
@given(VALUES)
def test_request_from_any_json_is_read_or_refused(value):
    assert_read_or_refused(json.dumps(value))
    assert_read_or_refused(json.dumps(value, ensure_ascii=False))


@settings(deadline=None)
@given(st.sampled_from(REQUESTS), st.dictionaries(KEYS, VALUES, max_size=3), st.data())
def test_request_with_changed_fields_is_read_or_refused(message, changes, data):
    dropped = data.draw(st.sets(st.sampled_from(sorted(message))))
    kept = {key: value for key, value in message.items() if key not in dropped}
    replaced = {key: data.draw(VALUES) for key in data.draw(st.sets(st.sampled_from(sorted(message))))}
    assert_read_or_refused(json.dumps(kept | replaced | changes))


@settings(deadline=None)
@given(st.sampled_from(REQUESTS), TEXT | MARKED, st.data())
def test_request_with_spliced_text_is_read_or_refused(message, pasted, data):
    text = json.dumps(message)
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    assert_read_or_refused(text[:start] + pasted + text[end:])


# Events of a record


@pytest.mark.parametrize("message", EVENTS, ids=lambda message: message["type"])
def test_record_event_reads_back(message):
    event = decode_event(json.dumps(message))
    assert decode_record_event(json.dumps(message)) == event


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"type":"pong","c":1}', '{"type":"applause"}', '{"type":"match_over"}']
)
def test_decode_record_event_refuses_other_text(text):
    with pytest.raises(CodecError) as caught:
        decode_record_event(text)
    assert caught.value.code is ErrorCode.BAD_MESSAGE
