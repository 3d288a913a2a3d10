"""Canonical JSON and the hash chain, against texts and digests written out by hand."""

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_protocol.canonical import GENESIS, canonical, chain, event_hash

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


def test_chain_begins_with_64_zeros():
    assert GENESIS == "0" * 64
    expected = hashlib.sha256(b"0" * 64 + b'{"seq":1}').hexdigest()
    assert event_hash(GENESIS, '{"seq":1}') == expected


def test_chain_hashes_previous_hex_and_utf8_text():
    first = hashlib.sha256(b"0" * 64 + '{"code":"\u00e9"}'.encode()).hexdigest()
    second = hashlib.sha256(first.encode("ascii") + b"{}").hexdigest()
    assert event_hash(event_hash(GENESIS, '{"code":"\u00e9"}'), "{}") == second
    assert chain(iter(['{"code":"\u00e9"}', "{}"])) == [first, second]


def test_chain_without_events_is_empty():
    assert chain([]) == []


@settings(deadline=None)
@given(st.text(), st.text())
def test_event_hash_differs_between_events(one, other):
    assert (event_hash(GENESIS, one) == event_hash(GENESIS, other)) == (one == other)
