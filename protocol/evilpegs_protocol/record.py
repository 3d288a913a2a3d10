"""The record of a match: the chain of hashes over its events, and the server's signature.

The signature is a field of `match_over`, the last event, so an exported record carries it. It covers the whole record:
the signed statement contains the hash that `match_over` would have without its signature. Ed25519 is deterministic, and
the signature is stored with the event before it is sent, so a client that asks again receives the same bytes.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, Final

from evilpegs_game.errors import quoted
from evilpegs_protocol.codec import canonical

GENESIS: Final = "0" * 64
"""The hash before the first event of a record."""
KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
_NOT_SIGNED: Final = frozenset({"re", "signature"})


def event_hash(previous: str, event: str) -> str:
    """Return the SHA-256, in hex, of the previous event's hash (at first `GENESIS`) and the event's canonical JSON."""
    return hashlib.sha256((previous + event).encode()).hexdigest()


def chain(texts: Iterable[str]) -> list[str]:
    """Return the hash in hex of each event of a record, from their canonical JSON."""
    return list(accumulate(texts, event_hash, initial=GENESIS))[1:]


def record_digest(over: Mapping[str, Any]) -> str:
    """Return the hash of a record: that of `match_over` without `re` and `signature`; raises KeyError."""
    unsigned = {name: value for name, value in over.items() if name not in _NOT_SIGNED}
    return event_hash(over["head"], canonical(unsigned))


def signed_statement(over: Mapping[str, Any]) -> bytes:
    """Return the bytes that are signed, from `match_over` with or without its signature; raises KeyError."""
    head = record_digest(over)
    statement = ["evilpegs-record-1", over["match"], over["seq"], head, over["outcomes"], over["guesses"]]
    return canonical(statement).encode()


def format_bytes(data: bytes) -> str:
    """Return ``data`` in base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def parse_bytes(text: str, size: int) -> bytes:
    """Return the ``size`` bytes in a text in base64url without padding; raises ValueError."""
    try:
        data = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError):
        data = b""
    if len(data) != size or format_bytes(data) != text:
        raise ValueError(f"not {size} bytes in base64url without padding: {quoted(text, 80)}")
    return data
