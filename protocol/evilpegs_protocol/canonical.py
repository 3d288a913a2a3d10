"""Canonical JSON and the hash chain of a record."""

import hashlib
import json
from collections.abc import Iterable
from itertools import accumulate
from typing import Any, Final

GENESIS: Final = "0" * 64
"""The text that takes the place of the previous event's hash when the first event of a record is hashed."""

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def canonical(value: Any) -> str:
    """Return the canonical JSON text of ``value``, with sorted keys, and without white space between tokens.

    The caller must make sure that all numbers are integers.

    Raises:
        TypeError: The value contains something that JSON does not have.
        ValueError: The value contains NaN or an infinity.
    """
    return _encode(value)


def event_hash(previous: str, event: str) -> str:
    """Return the hash of an event in the record of a match: the SHA-256, in hex, of ``previous`` followed by ``event``.

    ``previous`` is the hash of the event before it, in hex, or `GENESIS` if there is none. ``event`` is the canonical
    JSON of the event.
    """
    return hashlib.sha256((previous + event).encode()).hexdigest()


def chain(texts: Iterable[str]) -> list[str]:
    """Return the hash, in hex, of each event in a record; ``texts`` are the canonical JSON of all events in order."""
    return list(accumulate(texts, event_hash, initial=GENESIS))[1:]
