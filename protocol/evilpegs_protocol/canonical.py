import hashlib
import json
from collections.abc import Iterable
from itertools import accumulate
from typing import Any, Final

GENESIS: Final = "0" * 64
"""The hash before the first event of a record."""

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def canonical(value: Any) -> str:
    """Return canonical JSON: sorted keys, no white space. Numbers must be integers.

    Raises TypeError for what JSON does not have, and ValueError for NaN and infinities.
    """
    return _encode(value)


def event_hash(previous: str, event: str) -> str:
    """Return the SHA-256, in hex, of the previous event's hash (at first `GENESIS`) and the event's canonical JSON."""
    return hashlib.sha256((previous + event).encode()).hexdigest()


def chain(texts: Iterable[str]) -> list[str]:
    """Return the hash in hex of each event of a record, from their canonical JSON."""
    return list(accumulate(texts, event_hash, initial=GENESIS))[1:]
