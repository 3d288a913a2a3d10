"""The signature of a server over the last event of a record."""

import json

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_protocol.record_signature import parse_bytes, signed_statement
from evilpegs_protocol.server_messages import MatchOver
from evilpegs_server.record.signing import RecordSigner
from support.events import fields

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OVER = MatchOver(
    match="0123456789abcdef", seq=9, at=1, outcomes=("solved",), guesses=(4,), elapsed_ms=3, head="ab" * 32
)


@given(at=st.integers(0, 2**53 - 1), guesses=st.lists(st.integers(0, 10**6), max_size=5))
def test_signature_holds_for_event_as_it_is_sent(at, guesses):
    over = fields(OVER) | {"at": at, "guesses": tuple(guesses)}
    sent = json.loads(json.dumps(over | {"signature": RecordSigner(KEY).sign(over)}))
    KEY.public_key().verify(parse_bytes(sent["signature"], 64), signed_statement(sent))


def test_same_event_gets_same_signature():
    first, second = (RecordSigner(KEY).sign(fields(OVER)) for _ in range(2))
    assert first == second


def test_repr_of_signer_hides_private_key():
    signer = RecordSigner(KEY)
    assert repr(signer) == f"RecordSigner({signer.public_key!r})"
