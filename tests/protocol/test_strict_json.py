"""The reader takes all JSON that every reader understands alike, and nothing else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_protocol.strict_json import JsonError, parse_json

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10)


@given(values)
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
