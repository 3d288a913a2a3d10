"""Canonical JSON against texts written out by hand; the strict reader takes what every reader understands alike."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_protocol.codec import JsonError, canonical, parse_json

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10)


def reordered(value):
    """Return an equal value with the keys of every object in the opposite order."""
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    return [reordered(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (-7, "-7"),
        (2**64, "18446744073709551616"),
        ([], "[]"),
        ({}, "{}"),
        ([1, [2, {"a": []}]], '[1,[2,{"a":[]}]]'),
        ((1, 2), "[1,2]"),
        ({"b": 1, "a": 2}, '{"a":2,"b":1}'),
        ({"z": {"y": 1, "x": 2}, "Z": 3, "_": 4, "": 5}, '{"":5,"Z":3,"_":4,"z":{"x":2,"y":1}}'),
        ("a/b", '"a/b"'),
        ('"\\', '"\\"\\\\"'),
        ("\n\x1f", '"\\n\\u001f"'),
        ("\u00e9\U0001f3b2\u2028", '"\u00e9\U0001f3b2\u2028"'),
        ("a b: c, d", '"a b: c, d"'),
    ],
)
def test_canonical_gives_expected_text(value, text):
    assert canonical(value) == text


@settings(deadline=None)
@given(VALUES)
def test_canonical_reads_back_and_is_idempotent(value):
    text = canonical(value)
    assert json.loads(text) == value
    assert canonical(json.loads(text)) == text


@settings(deadline=None)
@given(VALUES)
def test_canonical_ignores_order_of_keys(value):
    assert canonical(reordered(value)) == canonical(value)


@pytest.mark.parametrize("value", [b"1", {1}, object(), {"a": 1j}, {b"a": 1}])
def test_canonical_refuses_values_unknown_to_json(value):
    with pytest.raises(TypeError):
        canonical(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_canonical_refuses_numbers_unknown_to_json(value):
    with pytest.raises(ValueError, match="JSON"):
        canonical(value)


READABLE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
TREES = st.recursive(READABLE, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10)


@given(TREES)
def test_value_comes_back(value):
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text",
    ['{"a":1,"a":1}', '[{"b":{"a":1,"a":2}}]', '{"a":1,"\\u0061":2}', "NaN", '{"a":-Infinity}', "[Infinity]"],
)
def test_what_readers_understand_differently_is_refused(text):
    json.loads(text)  # the control: the plain reader takes it
    with pytest.raises(JsonError, match=r"occurs twice|is not JSON"):
        parse_json(text)


@pytest.mark.parametrize("text", ["", "{", '{"a":1}x', "[1,]", "'a'", "[" * 100_000])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(JsonError, match="not JSON"):
        parse_json(text)
