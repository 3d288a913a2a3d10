"""Canonical JSON and the hash chain of a record."""

import hashlib
import json
from collections.abc import Iterable
from itertools import accumulate
from typing import Any, Final

GENESIS: Final = "0" * 64
"""What stands before the first event of a record."""

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def canonical(value: Any) -> str:
    """The one JSON text of a value: keys sorted, no spaces; numbers are integers.

    Raises:
        TypeError: a value that JSON does not have.
        ValueError: NaN or an infinity.
    """
    return _encode(value)


def event_hash(previous: str, event: str) -> str:
    """SHA-256, in hex, over the hash before and the event's canonical JSON."""
    return hashlib.sha256((previous + event).encode()).hexdigest()


def chain(texts: Iterable[str]) -> list[str]:
    """The hash after each event of a record, given their canonical JSON from the first on."""
    return list(accumulate(texts, event_hash, initial=GENESIS))[1:]
