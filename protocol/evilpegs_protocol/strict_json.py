"""A JSON reader that refuses what readers in other languages would understand differently.

The messages of clients and the lines of record files are read with it.
"""

import json
from typing import Any


class JsonError(ValueError):
    """A text that is not JSON, or that two readers may understand differently."""


def parse_json(text: str) -> Any:
    """Parse JSON; raises JsonError, also for a key that occurs twice, NaN and infinities.

    >>> parse_json('{"turn": 1, "turn": 2}')
    Traceback (most recent call last):
        ...
    evilpegs_protocol.strict_json.JsonError: a key occurs twice
    """
    try:
        return _DECODER.decode(text)
    except JsonError:
        raise
    except (ValueError, RecursionError):
        message = "not JSON"
        raise JsonError(message) from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        message = "a key occurs twice"
        raise JsonError(message)
    return value


def _refuse_constant(name: str) -> None:
    message = f"{name} is not JSON"
    raise JsonError(message)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
