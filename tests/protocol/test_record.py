"""The hash chain, the signed statement of a record, keys and signatures as text."""

import copy
import hashlib
import json
import re
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_protocol.record import (
    GENESIS,
    chain,
    event_hash,
    format_bytes,
    parse_bytes,
    record_digest,
    signed_statement,
)

README = Path(__file__).parents[2] / "protocol/README.md"
OVER = {
    "type": "match_over",
    "match": "0123456789abcdef",
    "seq": 5,
    "at": 7,
    "outcomes": ["solved", "void"],
    "guesses": [3, 0],
    "elapsed_ms": 9,
    "head": "ab" * 32,
    "news": {"b": [1], "a": None},
}
OTHERS = {
    "type": "game_over",
    "match": "f" * 16,
    "seq": 6,
    "at": 8,
    "outcomes": ["solved", "solved"],
    "guesses": [2, 0],
    "elapsed_ms": 10,
    "head": "cd" * 32,
    "news": {},
}


def example():
    """Return the worked example of the protocol page by label."""
    return dict(
        re.findall(r"^(seed of the private key|key|unsigned|signed|signature): +(\S+)", README.read_text(), re.M)
    )


def test_example_of_protocol_page_holds():
    vector = example()
    private_key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(vector["seed of the private key"]))
    statement = signed_statement(json.loads(vector["unsigned"]))
    assert statement.decode() == vector["signed"]
    assert format_bytes(private_key.public_key().public_bytes_raw()) == vector["key"]
    assert format_bytes(private_key.sign(statement)) == vector["signature"]
    public_key = Ed25519PublicKey.from_public_bytes(parse_bytes(vector["key"], 32))
    public_key.verify(parse_bytes(vector["signature"], 64), vector["signed"].encode())
    with pytest.raises(InvalidSignature):
        public_key.verify(parse_bytes(vector["signature"], 64), vector["signed"].encode() + b" ")


def test_digest_is_hash_of_event_without_signature():
    text = json.dumps(OVER, sort_keys=True, separators=(",", ":"))
    assert record_digest(OVER) == hashlib.sha256((OVER["head"] + text).encode()).hexdigest()


def test_signature_and_re_are_not_signed():
    assert signed_statement(OVER | {"signature": "x" * 86, "re": "7"}) == signed_statement(OVER)


@pytest.mark.parametrize("field", OVER)
def test_every_other_field_is_signed(field):
    changed = copy.deepcopy(OVER) | {field: OTHERS[field]}
    assert signed_statement(changed) != signed_statement(OVER)


@given(st.binary(max_size=70))
def test_bytes_survive_their_text(data):
    assert parse_bytes(format_bytes(data), len(data)) == data


@pytest.mark.parametrize(
    "text", ["", "A" * 42, "A" * 44, "A" * 43 + "=", "A" * 42 + "+", "A" * 42 + "é", "A" * 42 + "B"]
)
def test_other_texts_are_no_key(text):
    with pytest.raises(ValueError, match="base64url"):
        parse_bytes(text, 32)


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
